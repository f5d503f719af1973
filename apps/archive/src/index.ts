export { agentHosts } from './agent-hosts.ts';
export {
  ARCHIVE_OFF,
  type ArchiveConfig,
  keepsAgent,
  readArchiveConfig,
  withKept,
  writeArchiveConfig,
} from './archive-config.ts';
export { type ArchiveFileError, joinArchiveFile } from './archive-file.ts';
export { ArchiveAsker } from './asking/archive-asker.ts';
export type { ArchiveAsked, ArchiveTold, ShownArchive } from './asking/asked.ts';
export * from './export/index.ts';
export { packer } from './packer.ts';
export { rebuildArchive } from './rebuild-archive.ts';
export { type Retention, usedBytes } from './retention.ts';
export { type Hit, QUESTIONS, type Question, type SearchQuery, searchArchive } from './search.ts';
export { filterTrouble } from './search-filters.ts';
export { type ArchiveStatus, type RunningArchive, type StartArchiveOptions, startArchive } from './start-archive.ts';
export { unsealArchive } from './unseal-archive.ts';
export { describeReport, type VerifyOptions, verifyArchiveFile } from './verify-file.ts';
