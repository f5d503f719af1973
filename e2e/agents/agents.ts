import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Abilities, abilities } from './abilities.ts';
import type { Tools } from './script.ts';

// The real agents of the suite: which exact package, how it is started against a loopback model with a home of its own,
// how its tools are spelled, and what it can't do. Everything that differs between agents is in this table.

export interface Launch {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface AgentProfile {
  /** npm package and exact version. */
  readonly package: string;
  readonly version: string;
  /** File below the install folder that proves the install is whole. */
  readonly program: string;
  /** Writes the agent's settings below `home` and says how to start it. `installed` is its install folder. */
  launch(at: { installed: string; home: string; modelUrl: string }): Launch;
  readonly tools: Tools;
  readonly abilities: Abilities;
}

/** A key that opens nothing; it has the shape that agents check for. */
export const DUMMY_KEY = 'sk-dummy-opens-nothing';

function put(file: string, content: string | object): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}

const codexTools: Tools = {
  read: (path) => ({ name: 'exec_command', input: { cmd: `cat ${path}` } }),
  edit: (path, before, after) => ({
    name: 'apply_patch',
    input: `*** Begin Patch\n*** Update File: ${path}\n@@\n-${before}\n+${after}\n*** End Patch\n`,
  }),
  shell: (cmd) => ({ name: 'exec_command', input: { cmd, yield_time_ms: 20_000 } }),
  plan: (steps) => ({ name: 'update_plan', input: { plan: steps.map(([step, status]) => ({ step, status })) } }),
};

/** Retries are off so that a mistake ends the run at once; `settings` are further lines of config.toml. */
function codexEnv(home: string, modelUrl: string, settings = ''): Record<string, string> {
  const codexHome = join(home, '.codex');
  put(
    join(codexHome, 'config.toml'),
    `model = "gpt-5.5"
model_provider = "scripted"
${settings}
model_reasoning_summary = "detailed"
check_for_update_on_startup = false
[analytics]
enabled = false
[tools.update_plan]
enabled = true
[model_providers.scripted]
name = "scripted"
base_url = "${modelUrl}/v1"
env_key = "SCRIPTED_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`,
  );
  return { CODEX_HOME: codexHome, SCRIPTED_API_KEY: DUMMY_KEY, MODEL_PROVIDER: 'scripted', NO_BROWSER: '1' };
}

export const agents = {
  gemini: {
    abilities: abilities.gemini,
    package: '@google/gemini-cli',
    version: '0.61.0',
    program: 'node_modules/@google/gemini-cli/bundle/gemini.js',
    launch({ installed, home, modelUrl }) {
      put(join(home, '.gemini/settings.json'), {
        general: { disableAutoUpdate: true, enableAutoUpdate: false, disableUpdateNag: true },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        tools: { usePty: false },
      });
      return {
        command: [process.execPath, join(installed, this.program), '--acp'],
        env: {
          GEMINI_API_KEY: DUMMY_KEY,
          GOOGLE_GEMINI_BASE_URL: modelUrl,
          GEMINI_CLI_HOME: home,
          GEMINI_CLI_NO_RELAUNCH: 'true',
          GEMINI_TELEMETRY_ENABLED: 'false',
          NO_BROWSER: 'true',
        },
      };
    },
    tools: {
      read: (file_path) => ({ name: 'read_file', input: { file_path } }),
      edit: (file_path, old_string, new_string) => ({
        name: 'replace',
        input: { file_path, instruction: 'change the greeting', old_string, new_string },
      }),
      shell: (command) => ({ name: 'run_shell_command', input: { command, description: 'three beats' } }),
    },
  },
  zcodex: {
    abilities: abilities.zcodex,
    package: '@zed-industries/codex-acp',
    version: '0.16.0',
    program: 'node_modules/@zed-industries/codex-acp-linux-x64/bin/codex-acp',
    launch({ installed, home, modelUrl }) {
      // Its package lacks the sandbox helper (bwrap), so it runs without a sandbox and asks before everything it does not trust.
      const settings = 'approval_policy = "untrusted"\nsandbox_mode = "danger-full-access"';
      return { command: [join(installed, this.program)], env: codexEnv(home, modelUrl, settings) };
    },
    tools: codexTools,
  },
  codex: {
    abilities: abilities.codex,
    package: '@agentclientprotocol/codex-acp',
    version: '2.6.0',
    program: 'node_modules/@agentclientprotocol/codex-acp/dist/index.js',
    launch({ installed, home, modelUrl }) {
      // Only its read-only mode asks before an edit.
      return {
        command: [process.execPath, join(installed, this.program)],
        env: { ...codexEnv(home, modelUrl), INITIAL_AGENT_MODE: 'read-only' },
      };
    },
    tools: {
      ...codexTools,
      // Without leave to go outside, codex runs a command unasked in a sandbox that not every machine lets it build.
      shell: (cmd) => ({
        name: 'exec_command',
        input: { cmd, yield_time_ms: 20_000, sandbox_permissions: 'require_escalated', justification: 'Three beats?' },
      }),
    },
  },
  claude: {
    abilities: abilities.claude,
    package: '@agentclientprotocol/claude-agent-acp',
    version: '0.101.0',
    program: 'node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js',
    launch({ installed, home, modelUrl }) {
      const configDir = join(home, '.claude');
      // Without this the session starts in a mode that asks the model, not the person, about every command.
      put(join(configDir, 'settings.json'), { permissions: { defaultMode: 'default' } });
      return {
        command: [process.execPath, join(installed, this.program)],
        env: {
          ANTHROPIC_BASE_URL: modelUrl,
          ANTHROPIC_API_KEY: DUMMY_KEY,
          CLAUDE_CONFIG_DIR: configDir,
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          DISABLE_TELEMETRY: '1',
          DISABLE_AUTOUPDATER: '1',
          DISABLE_ERROR_REPORTING: '1',
          ENABLE_TOOL_SEARCH: 'false',
        },
      };
    },
    tools: {
      read: (file_path) => ({ name: 'Read', input: { file_path } }),
      edit: (file_path, old_string, new_string) => ({ name: 'Edit', input: { file_path, old_string, new_string } }),
      shell: (command) => ({ name: 'Bash', input: { command, description: 'Three beats' } }),
    },
  },
  opencode: {
    abilities: abilities.opencode,
    package: 'opencode-ai',
    version: '1.18.33',
    program: 'node_modules/opencode-linux-x64/bin/opencode',
    launch({ installed, home, modelUrl }) {
      const model = (name: string) => ({
        name,
        reasoning: true,
        tool_call: true,
        limit: { context: 200_000, output: 32_000 },
      });
      put(join(home, '.config/opencode/opencode.json'), {
        autoupdate: false,
        share: 'disabled',
        model: 'scripted/scripted',
        small_model: 'scripted/scripted',
        enabled_providers: ['scripted'],
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Scripted',
            options: { baseURL: `${modelUrl}/v1`, apiKey: DUMMY_KEY },
            models: { scripted: model('Scripted'), other: model('Other') },
          },
        },
        permission: { edit: 'ask', bash: 'ask' },
      });
      return {
        command: [join(installed, this.program), 'acp'],
        env: {
          OPENCODE_DISABLE_AUTOUPDATE: '1',
          OPENCODE_DISABLE_MODELS_FETCH: '1',
          OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
          OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
          XDG_CONFIG_HOME: join(home, '.config'),
          XDG_DATA_HOME: join(home, '.local/share'),
          XDG_STATE_HOME: join(home, '.local/state'),
          XDG_CACHE_HOME: join(home, '.cache'),
        },
      };
    },
    tools: {
      read: (filePath) => ({ name: 'read', input: { filePath } }),
      edit: (filePath, oldString, newString) => ({ name: 'edit', input: { filePath, oldString, newString } }),
      shell: (command) => ({ name: 'bash', input: { command, description: 'Three beats' } }),
      plan: (steps) => ({
        name: 'todowrite',
        input: {
          todos: steps.map(([content, status], i) => ({ id: `${i + 1}`, content, status, priority: 'medium' })),
        },
      }),
    },
  },
} satisfies Record<string, AgentProfile>;

export type AgentName = keyof typeof agents;
export const agentNames = Object.keys(agents) as AgentName[];
