import { afterEach, beforeEach, expect, test } from 'vitest';
import { Stage } from './support/stage.ts';
import { until } from './support/until.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

test('HA198, VI29: a viewer and a harness of other versions each say once which of the two to update, and work', async () => {
  const harness = await stage.harness({ version: '0.3.0' });
  const words = () => stage.logs.filter(({ message }) => message.startsWith('a viewer is of'));
  const same = await stage.watch('0.3.0');
  const older = await stage.watch('0.2.9');
  await until('the log', () => words().length === 1);
  expect(words()[0]?.message).toBe(
    'a viewer is of version 0.2.9, this harness of version 0.3.0: update Heliograph there',
  );
  expect(older.snapshot?.version).toBe('0.3.0');
  expect(older.warnings).toEqual([
    'version: the harness is Heliograph 0.3.0, this page 0.2.9: update this desktop and load the page again',
  ]);
  older.resync();
  older.prompt(harness.channelId, 'hello');
  await older.until('the turn', () => older.find('turn_completed'));
  expect(words()).toHaveLength(1);
  expect(same.warnings).toEqual([]);
});
