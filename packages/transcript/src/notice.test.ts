import { describe, expect, it } from 'vitest';
import { Scene } from './testing/scene.ts';

describe('notices', () => {
  it('TR69: what the agent says about itself, with its severity', () => {
    const scene = new Scene()
      .prompt()
      .update({ sessionUpdate: 'notice', severity: 'warning', title: 'Slow', description: 'very' });
    expect(scene.the('notice')).toMatchObject({ topic: 'notice', severity: 'warning', text: 'Slow\nvery' });
  });

  it('TR69: a compaction is one notice from its first chunk to its end', () => {
    const scene = new Scene().prompt();
    scene.update({
      sessionUpdate: 'compaction_summary_chunk',
      compactionId: 'c',
      content: { type: 'text', text: 'We did ' },
    });
    scene.update({
      sessionUpdate: 'compaction_summary_chunk',
      compactionId: 'c',
      content: { type: 'text', text: 'much.' },
    });
    expect(scene.the('notice').text).toBe('Compaction in progress\nWe did much.');
    scene.update({ sessionUpdate: 'compaction_update', compactionId: 'c', status: 'completed' });
    expect(scene.the('notice')).toMatchObject({
      topic: 'compaction',
      severity: 'info',
      text: 'Compaction completed\nWe did much.',
    });
    scene.update({
      sessionUpdate: 'compaction_update',
      compactionId: 'd',
      status: 'failed',
      error: { message: 'too long' },
    });
    expect(scene.all('notice')[1]).toMatchObject({ severity: 'error', text: 'Compaction failed\ntoo long' });
  });

  it('TR70: stderr in a row is one notice that keeps its end', () => {
    const scene = new Scene().prompt().note('agent_stderr', { text: 'a\n' }).note('agent_stderr', { text: 'b\n' });
    expect(scene.the('notice')).toMatchObject({ topic: 'stderr', severity: 'warning', text: 'a\nb\n' });
    scene.note('agent_stderr', { text: `${'x'.repeat(20_000)}end` });
    expect(scene.the('notice').text).toHaveLength(8_192);
    expect(scene.the('notice').text.endsWith('xend')).toBe(true);
  });

  it('DT195: what the harness says of itself is its own notice, and none of the agent’s stderr', () => {
    const scene = new Scene().prompt().note('agent_stderr', { text: 'a\n' });
    scene.note('harness_note', { text: 'the spool is on disk again' }).note('harness_note', { text: '' });
    expect(scene.all('notice').map(({ topic, severity, text }) => [topic, severity, text])).toEqual([
      ['stderr', 'warning', 'a\n'],
      ['harness', 'info', 'the spool is on disk again'],
    ]);
  });

  it('TR71: a control that failed is a row, one that did what it should is none', () => {
    const scene = new Scene().prompt();
    for (const status of ['sent', 'applied', 'cancelled', 'no_active_turn', 'already_decided', 'queued'])
      scene.note('control_result', { type: 'cancel_turn', requestId: 'r', status });
    scene.note('control_result', { type: 'replay', requestId: 'r', status: 'unknown' });
    expect(scene.all('notice')).toEqual([]);
    scene.note('control_result', { type: 'set_mode', requestId: 'r', status: 'failure', reason: 'unknown mode' });
    expect(scene.the('notice')).toMatchObject({
      topic: 'control',
      severity: 'warning',
      text: 'set mode: failure (unknown mode)',
    });
  });

  it('TR71: a stepped clock is told', () => {
    const scene = new Scene().prompt().note('clock_stepped', { offsetMs: -120_000 });
    expect(scene.all('notice').map(({ text }) => text)).toEqual(["The clock of the agent's machine was set by -120 s"]);
  });
});
