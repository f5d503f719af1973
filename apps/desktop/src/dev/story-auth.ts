import { MINUTE, StoryAgent } from './story-agent.ts';

export const MODES = {
  modes: {
    currentModeId: 'default',
    availableModes: [
      { id: 'default', name: 'Ask first' },
      { id: 'plan', name: 'Plan only' },
    ],
  },
  models: {
    currentModelId: 'opus-5',
    availableModels: [
      { modelId: 'opus-5', name: 'Opus 5' },
      { modelId: 'haiku-5', name: 'Haiku 5' },
    ],
  },
  configOptions: [
    {
      id: 'effort',
      name: 'Effort',
      category: 'thought_level',
      type: 'select',
      currentValue: 'high',
      options: [
        { value: 'low', name: 'Low' },
        { value: 'high', name: 'High' },
      ],
    },
    { id: 'fast', name: 'Fast mode', type: 'boolean', currentValue: false },
  ],
};

const OLD_TOKEN = `import { decode, type Claims, type KeySet, type VerifyOptions } from './claims.ts'
import { TokenExpired } from './errors.ts'

export function verifyToken(token: string, keys: KeySet,
  options: VerifyOptions = {}): Claims {
  const claims = decode(token, keys)
  if (claims.exp <= Date.now() / 1000) throw new TokenExpired(claims.exp)
  return claims
}
`;
const NEW_TOKEN = OLD_TOKEN.replace(
  '  options: VerifyOptions = {}): Claims {',
  '  options: VerifyOptions = {}, nowSec = () => Date.now() / 1000): Claims {',
).replace('claims.exp <= Date.now() / 1000', 'claims.exp <= nowSec()');

const TEST_OUTPUT = `${Array.from({ length: 1_204 }, (_, at) => `\u001b[32m✓\u001b[0m auth › run ${at + 1}`).join('\n')}
\u001b[32m✓\u001b[0m 998 passed
\u001b[31m✗\u001b[0m 2 failed   auth › refresh › rejects a token that expired a second ago
    expected TokenExpired, received Claims { sub: "u_17", exp: 1796047331 }
\u001b[2mTests: 2 failed, 998 passed, 40.7 s\u001b[0m`;

/** A turn at work, up to the failed test run. */
export function authStory(
  nowMs: number,
  options: { harness?: 'live' | 'silent'; lastHeardMs?: number } = {},
): StoryAgent {
  const agent = new StoryAgent({
    name: 'Claude',
    host: 'build-box',
    cwd: '/home/dev/src/api',
    startMs: nowMs - 4 * MINUTE,
    modes: MODES,
    ...options,
  });
  const edit = {
    type: 'diff',
    path: '/home/dev/src/api/src/auth/verify-token.ts',
    oldText: OLD_TOKEN,
    newText: NEW_TOKEN,
  };
  agent
    .prompt('The auth test fails about one run in ten. Find out why, fix it, and show me it holds.')
    .update({ sessionUpdate: 'session_info_update', title: 'Fix the flaky auth test' })
    .think('The test is flaky. Let me look at how the expiry is compared, and at which clock.', 14_000);
  for (const file of ['auth.test.ts', 'refresh.test.ts', 'clock.ts', 'claims.ts', 'keys.ts', 'setup.ts']) {
    const path = `/home/dev/src/api/tests/${file}`;
    agent.tool(`read-${file}`, { kind: 'read', title: `Read ${file}`, locations: [{ path }] }, 120, {
      status: 'completed',
    });
  }
  return agent
    .say(
      "The token's expiry is compared with the wall clock, and the test runs across a second boundary. I'll inject a clock into `verifyToken` and freeze it in the test:\n\n```ts\nconst now = () => 1_796_047_331 // one second after\nexpect(() => verifyToken(token, keys, {}, now)).toThrow(TokenExpired)\n```\n\nSee [RFC 7519, section 4.1.4](https://www.rfc-editor.org/rfc/rfc7519#section-4.1.4) for what `exp` means.",
      'm1',
    )
    .update({
      sessionUpdate: 'plan',
      entries: [
        { content: 'Reproduce with 200 runs', status: 'completed', priority: 'high' },
        { content: 'Inject a clock', status: 'in_progress', priority: 'high' },
        { content: 'Prove it with 1,000 runs', status: 'pending', priority: 'medium' },
      ],
    })
    .tool('edit-1', { kind: 'edit', title: 'Edit verify-token.ts', locations: [{ path: edit.path }] }, 110, {
      status: 'completed',
      content: [edit],
    })
    .tool(
      'run-1',
      { kind: 'execute', title: 'npm test', rawInput: { command: 'npm test -- auth --repeat 1000' } },
      41_000,
      {
        status: 'failed',
        rawOutput: { exit_code: 1 },
        content: [{ type: 'content', content: { type: 'text', text: TEST_OUTPUT } }],
      },
    )
    .update({ sessionUpdate: 'usage_update', used: 76_213, size: 200_000, cost: { amount: 0.41, currency: 'USD' } })
    .lose(12)
    .wait(900)
    .say('Two left: the refresh path has its own comparison. Same cure. ', 'm2');
}

const PUBLISH_OPTIONS = [
  { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'always', name: 'Always allow npm publish …', kind: 'allow_always' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
];

export function askToPublish(agent: StoryAgent): StoryAgent {
  return agent.say("Before I tidy up I'd like to check that the package still packs.", 'm2').ask(
    {
      toolCallId: 'run-2',
      title: 'npm publish --dry-run',
      kind: 'execute',
      rawInput: { command: 'npm publish --dry-run', description: 'Check what would be packed' },
    },
    PUBLISH_OPTIONS,
  );
}
