import type { ReactNode, Ref } from 'react';

/** A box that scrolls by itself: keys must reach it, and a screen reader be told what it is. */
export function ScrollRegion(props: {
  readonly label: string;
  readonly className: string;
  readonly testId?: string;
  readonly box?: Ref<HTMLDivElement>;
  readonly children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms, and a section would be a landmark each
    <div
      ref={props.box}
      className={props.className}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      role="group"
      aria-label={props.label}
      data-testid={props.testId}
    >
      {props.children}
    </div>
  );
}
