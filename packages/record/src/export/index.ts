export * from './csv.ts';
export * from './export-digest.ts';
export * from './export-line.ts';
export * from './export-verifier.ts';
export * from './manifest.ts';
