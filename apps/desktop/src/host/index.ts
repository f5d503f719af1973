export type { ArchiveAnswers, ArchiveAsk, ArchiveQuery, ArchiveState } from '../archive-ask.ts';
export { isLoopbackUrl } from '../text/loopback-url.ts';
export type { AskArchive, InviteRequest, MadeInvite, MakeInvite, OwnerKey } from './desktop-api.ts';
export { type DesktopState, readDesktopState } from './desktop-file.ts';
export type { Log } from './log.ts';
export { openPage, type ServePage } from './open-page.ts';
export { type DesktopHost, type DesktopHostOptions, startDesktopHost } from './start-desktop-host.ts';
