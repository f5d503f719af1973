export { asciicastLinesOf } from './asciicast.ts';
export { claudeCodeLinesOf, claudeCodeSessionId } from './claude-code.ts';
export { htmlReplayOf } from './html-replay.ts';
export { jsonlOf } from './jsonl.ts';
export { markdownOf, turnMarkdownOf } from './markdown.ts';
export { otlpLinesOf } from './otlp.ts';
export type { SessionHead } from './session-head.ts';
