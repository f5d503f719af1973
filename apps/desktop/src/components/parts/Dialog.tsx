import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';

/** A modal dialog on the browser's own element: focus stays inside, Escape closes, what is behind is inert. */
export function Dialog(props: {
  readonly title: string;
  readonly onClose: () => void;
  readonly testId?: string;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element !== null && !element.open) element.showModal();
    return () => element?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the dialog's own key
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      data-testid={props.testId}
      className={`dialog ${props.className ?? ''}`}
      onClose={props.onClose}
      onClick={(event) => {
        if (event.target === dialog.current) props.onClose();
      }}
    >
      <header className="flex flex-none items-center gap-3 px-5 pt-4 pb-1">
        <h2 id={titleId} className="text-h font-semibold">
          {props.title}
        </h2>
        <button type="button" className="tab ml-auto -mr-2" aria-label="Close" onClick={props.onClose}>
          <X size={16} strokeWidth={1.6} />
        </button>
      </header>
      <div className="dialog-body">{props.children}</div>
    </dialog>
  );
}
