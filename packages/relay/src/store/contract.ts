import { ANSWERING } from './contract/answering.ts';
import { ENDING } from './contract/ending.ts';
import { KEEPING } from './contract/keeping.ts';
import type { StoreRule } from './contract/store-rule.ts';

/** What every store must do; each store's own test file runs all of it. */
export const STORE_CONTRACT: readonly StoreRule[] = [...KEEPING, ...ANSWERING, ...ENDING];
