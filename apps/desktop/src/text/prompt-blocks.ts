import { type ContentBlock, DEFAULT_BUDGET_BYTES, utf8Length } from '@heliograph/wire';

/** A file that goes with a prompt; `data` is base64 but for text. */
export interface Attachment {
  readonly id: number;
  readonly name: string;
  readonly mimeType: string;
  readonly kind: 'image' | 'audio' | 'text';
  readonly data: string;
}

/** What the agent takes beside text and links; undefined: it has not said. */
export type Accepts = readonly string[] | undefined;

/** What of a frame the control around the blocks needs. */
const CONTROL_BYTES = 1_024;
/** The most a prompt's blocks may take, as JSON. */
export const MAX_PROMPT_BYTES = DEFAULT_BUDGET_BYTES - CONTROL_BYTES;

/** `@` and a path, at the start or after a space. A name alone is none: it may be anything. */
const MENTION = /(?<=^|\s)@((?:\/|\.{0,2}\/)?[^\s@]*[/.][^\s@]*)/g;

/** The prompt as ACP content: what was typed, the files it mentions as links, and what goes with it as the agent takes it. */
export function toPromptBlocks(
  text: string,
  attachments: readonly Attachment[],
  cwd: string | undefined,
  accepts: Accepts,
): readonly ContentBlock[] {
  const said = text.trim() === '' ? [] : [{ type: 'text', text }];
  return [...said, ...mentions(text, cwd), ...attachments.map((file) => toBlock(file, accepts))];
}

/** Bytes of the blocks in a control. */
export function promptBytes(blocks: readonly ContentBlock[]): number {
  return utf8Length(JSON.stringify(blocks));
}

/** Why this agent can't be sent such a file, undefined when it can. */
export function refuseKind(kind: Attachment['kind'], accepts: Accepts): string | undefined {
  if (kind === 'text' || accepts === undefined || accepts.includes(kind)) return undefined;
  return kind === 'image' ? 'this agent takes no pictures' : 'this agent takes no sound';
}

function mentions(text: string, cwd: string | undefined): readonly ContentBlock[] {
  const paths = new Set([...text.matchAll(MENTION)].map((match) => (match[1] ?? '').replace(/[.,;:!?)]+$/, '')));
  return [...paths].flatMap((path) => {
    const whole = path.startsWith('/') ? path : cwd === undefined ? undefined : `${cwd}/${path.replace(/^\.\//, '')}`;
    if (whole === undefined || path === '') return [];
    const uri = `file://${whole.split('/').map(encodeURIComponent).join('/')}`;
    return [{ type: 'resource_link', uri, name: path.split('/').at(-1) ?? path }];
  });
}

function toBlock({ name, mimeType, kind, data }: Attachment, accepts: Accepts): ContentBlock {
  if (kind !== 'text') return { type: kind, mimeType, data };
  if (accepts?.includes('embeddedContext') === true) {
    const uri = `attachment:///${encodeURIComponent(name)}`;
    return { type: 'resource', resource: { uri, mimeType, text: data } };
  }
  return { type: 'text', text: `${name}:\n${data}` };
}
