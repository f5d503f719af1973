export * from './acp.ts';
export * from './form.ts';
export * from './form-answer.ts';
export * from './json-rpc.ts';
export * from './json-scan.ts';
export * from './line-framer.ts';
export * from './usage.ts';
