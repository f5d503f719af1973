// Bundles the command, the demo agent, the thread that checks signatures and the one that reads archives. Packages with native or WebAssembly parts stay outside and load from node_modules.
import { build } from 'esbuild';

await build({
  entryPoints: {
    main: 'src/main.ts',
    'demo-agent': '../demo-agent/src/main.ts',
    'verify-worker': '../relay/src/verify-worker.ts',
    'ask-worker': '../archive/src/asking/ask-worker.ts',
  },
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  external: ['better-sqlite3', 'koffi', 'tiny-secp256k1', 'pg-native'],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
