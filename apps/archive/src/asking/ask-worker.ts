// A thread that reads archives' files for an ArchiveAsker, so that a slow question holds up nothing else.
import { parentPort } from 'node:worker_threads';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { Answerer } from './answer-asked.ts';
import type { AskMessage } from './asked.ts';

const answerer = new Answerer(selectNodeCrypto().crypto);
parentPort?.on('message', (message: AskMessage) => parentPort?.postMessage(answerer.answer(message)));
