import { MINUTE, StoryAgent } from './story-agent.ts';
import { MODES } from './story-auth.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAF0lEQVR42mP8z4APMOGVZRihEgwjVAIAHHgBD1i5hMwAAAAASUVORK5CYII=';
/** A tenth of a second of silence. */
const WAV = `UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA${'A'.repeat(5)}=`;

/** Every kind of content and update that ACP has and no other story shows. */
export function kindsStory(nowMs: number): StoryAgent {
  const agent = new StoryAgent({
    name: 'Claude',
    host: 'build-box',
    cwd: '/home/dev/kinds',
    startMs: nowMs - 9 * MINUTE,
    modes: MODES,
  });
  const chunk = (content: object) => agent.update({ sessionUpdate: 'agent_message_chunk', content });
  agent
    .prompt('Show me everything you can send.')
    .update({ sessionUpdate: 'session_info_update', title: 'Every kind' });
  agent.say('A picture, a recording, links and files:');
  chunk({ type: 'image', mimeType: 'image/png', data: PNG });
  chunk({ type: 'image', mimeType: 'image/svg+xml', data: 'PHN2Zy8+' });
  chunk({ type: 'audio', mimeType: 'audio/wav', data: WAV });
  chunk({ type: 'audio', mimeType: 'audio/x-odd', data: WAV });
  chunk({
    type: 'resource_link',
    uri: 'file:///home/dev/kinds/report.pdf',
    name: 'report.pdf',
    title: 'The report',
    size: 48_213,
  });
  chunk({ type: 'resource_link', uri: 'https://example.org/spec?x=1', name: 'spec', title: 'A page' });
  chunk({
    type: 'resource',
    resource: { uri: 'file:///home/dev/kinds/notes.md', mimeType: 'text/markdown', text: '# Notes\n\nas text' },
  });
  chunk({
    type: 'resource',
    resource: { uri: 'file:///home/dev/kinds/a.bin', mimeType: 'application/octet-stream', blob: 'AAAA' },
  });
  chunk({ type: 'hologram', depth: 3 });
  const task = (
    id: string,
    parent: string | undefined,
    call: object,
    end: object | undefined = { status: 'completed' },
  ) =>
    agent.tool(
      id,
      { ...call, ...(parent === undefined ? {} : { _meta: { claudeCode: { parentToolUseId: parent } } }) },
      300,
      end,
    );
  agent.update({
    sessionUpdate: 'tool_call',
    toolCallId: 'task',
    status: 'in_progress',
    kind: 'think',
    title: 'Find every caller of verifyToken',
  });
  task('c1', 'task', { kind: 'search', title: 'grep verifyToken', rawInput: { pattern: 'verifyToken' } });
  task('c2', 'task', { kind: 'read', title: 'Read auth.ts', locations: [{ path: '/home/dev/kinds/auth.ts' }] });
  agent.update({
    sessionUpdate: 'tool_call',
    toolCallId: 'sub',
    status: 'in_progress',
    kind: 'think',
    title: 'Look at the tests',
    _meta: { claudeCode: { parentToolUseId: 'task' } },
  });
  task('c3', 'sub', { kind: 'execute', title: 'npm test', rawInput: { command: 'npm test -- auth' } });
  agent.update({ sessionUpdate: 'tool_call_update', toolCallId: 'sub', status: 'completed' });
  task('c4', 'task', { kind: 'fetch', title: 'Fetch', rawInput: { url: 'https://example.org/rfc' } }, undefined);
  for (const [kind, title] of [
    ['delete', 'Delete old.ts'],
    ['move', 'Move a.ts to b.ts'],
    ['switch_mode', 'Leave plan mode'],
    ['other', 'Ask the oracle'],
    ['made_up', 'Something new'],
  ])
    task(`k-${kind}`, undefined, { kind, title, locations: [{ path: '/home/dev/kinds/old.ts' }] });
  return agent
    .update({ sessionUpdate: 'current_mode_update', currentModeId: 'plan' })
    .update({ sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'compact', description: 'x' }] })
    .update({ sessionUpdate: 'compaction_update', compactionId: 'k', status: 'completed' })
    .note('agent_stderr', { text: 'warning: slow disk\n' })
    .note('something_new', { a: 1 })
    .say('That is all of it.', 'm9');
}

/** A long session, for scrolling. */
export function longStory(nowMs: number): StoryAgent {
  const agent = new StoryAgent({
    name: 'Claude',
    host: 'build-box',
    cwd: '/home/dev/long',
    startMs: nowMs - 500 * MINUTE,
  });
  for (let turn = 1; turn <= 150; turn++) {
    agent.prompt(`Step ${turn}`).think('Which file next?', 1_500);
    for (let call = 1; call <= 3; call++) {
      const command = `make step-${turn}-${call}`;
      agent.tool(`${turn}.${call}`, { kind: 'execute', title: command, rawInput: { command } }, 300, {
        status: 'completed',
        content: [{ type: 'content', content: { type: 'text', text: `ok ${turn}.${call}` } }],
      });
    }
    agent
      .say(`Step ${turn} is done. ${'It went as planned, and nothing else changed. '.repeat(turn % 7)}`)
      .end('end_turn');
  }
  return agent;
}
