import type { ContentBlock } from '@heliograph/wire';

/** The capability a block type needs; text and links are always allowed (ACP v1, promptCapabilities). */
const NEEDED: Readonly<Record<string, string | undefined>> = {
  text: undefined,
  resource_link: undefined,
  image: 'image',
  audio: 'audio',
  resource: 'embeddedContext',
};

/** Why this agent can't be given this prompt, undefined when it can. `initializeResult` is the agent's own. */
export function refuseContent(content: readonly ContentBlock[], initializeResult: unknown): string | undefined {
  const capabilities = readCapabilities(initializeResult);
  for (const { type } of content) {
    if (!Object.hasOwn(NEEDED, type)) return `"${type}" is no content that prompts can have`;
    const needed = NEEDED[type];
    if (needed !== undefined && capabilities?.[needed] !== true) return `this agent takes no ${type} in prompts`;
  }
  return undefined;
}

/** What prompts for this agent may hold beside text and links. */
export function acceptedContent(initializeResult: unknown): readonly ('image' | 'audio' | 'embeddedContext')[] {
  const capabilities = readCapabilities(initializeResult);
  return (['image', 'audio', 'embeddedContext'] as const).filter((name) => capabilities?.[name] === true);
}

function readCapabilities(initializeResult: unknown): Record<string, unknown> | undefined {
  const agent = initializeResult as
    | { agentCapabilities?: { promptCapabilities?: Record<string, unknown> } | null }
    | null
    | undefined;
  return agent?.agentCapabilities?.promptCapabilities;
}
