export * from './bytes.ts';
export * from './crypto.ts';
export * from './event.ts';
export * from './filter.ts';
export * from './message.ts';
export * from './nip44.ts';
export * from './signer.ts';
