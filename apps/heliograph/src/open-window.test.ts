import { expect, test } from 'vitest';
import { appArguments } from './open-window.ts';

test("CL13: the window is an app of the user's browser with a profile of its own; its sandbox is off only for root", () => {
  const args = appArguments('/s/window/open.html', '/s/window/profile', false);
  expect(args).toContain('--app=file:///s/window/open.html');
  expect(args).toContain('--user-data-dir=/s/window/profile');
  expect(args).not.toContain('--no-sandbox');
  expect(appArguments('/d', '/p', true)).toContain('--no-sandbox');
});
