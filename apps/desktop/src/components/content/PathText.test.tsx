// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { PathText } from './PathText.tsx';

afterEach(cleanup);

test('DT201: a folder is cut before its last part, also one with slashes without end', () => {
  const parts = (path: string) =>
    [...render(<PathText path={path} />).container.querySelectorAll('bdi')].map(({ textContent }) => textContent);
  expect(parts('/srv/work//')).toEqual(['/srv', '/work//']);
  cleanup();
  expect(parts('/')).toEqual(['/']);
  cleanup();
  const startMs = performance.now();
  expect(parts(`${'/'.repeat(120_000)}a`)).toHaveLength(2);
  expect(performance.now() - startMs).toBeLessThan(5_000);
});
