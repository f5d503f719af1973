import { expect, test } from 'vitest';
import { boundedConfig, updateConfig } from './session-config.ts';

const modes = { currentModeId: 'ask', availableModes: [{ id: 'ask' }] };
const options = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `o${at}`, name: 'x'.repeat(200) }));

test('HA212: of a session’s configuration as much is held as fits, and of more nothing', () => {
  expect(boundedConfig({ modes, configOptions: options(1_000) })).toMatchObject({ modes });
  expect(boundedConfig({ modes, configOptions: options(2_000) })).toEqual({});
  const update = (configOptions: unknown) => ({ sessionUpdate: 'config_option_update', configOptions });
  expect(updateConfig({ modes }, update(options(3)))).toEqual({ modes, configOptions: options(3) });
  expect(updateConfig({ modes }, update(options(2_000)))).toEqual({});
  const mode = { sessionUpdate: 'current_mode_update', currentModeId: 'x'.repeat(300_000) };
  expect(updateConfig({ modes }, mode)).toEqual({});
});
