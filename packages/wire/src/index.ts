export * from './acp/index.ts';
export * from './nostr/index.ts';
export * from './observer/index.ts';
export * from './result.ts';
