import type { ReactNode } from 'react';
import { BrandMark } from '../parts/Brand.tsx';

/** One thing to do, in the middle of the page. */
export function Panel(props: { readonly title: string; readonly testId: string; readonly children: ReactNode }) {
  return (
    <main className="grid h-full place-items-center overflow-y-auto bg-ground p-5" data-testid={props.testId}>
      <div className="w-full max-w-[26rem] py-8">
        <BrandMark size={36} />
        <h1 className="mt-5 mb-2 text-xl font-semibold tracking-[-0.015em]">{props.title}</h1>
        {props.children}
      </div>
    </main>
  );
}
