export * from './control.ts';
export * from './envelope.ts';
export * from './event.ts';
export * from './frame.ts';
export * from './kinds.ts';
export * from './line-body.ts';
export * from './line-sha256.ts';
export * from './parts.ts';
