export { parsePermissionRules } from './agent/permission-rules.ts';
export { type Harness, startHarness } from './harness.ts';
export type { Log } from './log.ts';
export { hideSecretArgs } from './mirror/secret-shapes.ts';
export type { HarnessOptions } from './options.ts';
export { parsePushSubject } from './push/vapid-key.ts';
