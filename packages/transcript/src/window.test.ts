import { describe, expect, it } from 'vitest';
import type { Transcript } from './model.ts';
import { Scene } from './testing/scene.ts';
import { TranscriptWindow } from './window.ts';

/** A prompt that was answered with so many messages. */
function talk(scene: Scene, name: string, messages: number): Scene {
  scene.prompt(name);
  for (let n = 0; n < messages; n++) scene.says(`${name} ${n}`, `${name}-${n}`);
  return scene;
}

/** What is shown, in words; `+n` where n items are not there. */
function outline({ turns }: Transcript): readonly string[] {
  return turns.flatMap(({ items, away }) =>
    items.flatMap((item, at) => {
      const [part] = 'parts' in item ? item.parts : [];
      const words = part?.type === 'text' ? part.text : item.kind;
      const missing = away?.find(({ before }) => before === at);
      return missing === undefined ? [words] : [`+${missing.items}`, words];
    }),
  );
}

describe('TR140: of a long transcript a part is shown: its newest items, the first prompt and what waits', () => {
  it('a short one is shown whole', () => {
    const scene = talk(new Scene(), 'a', 3);
    const { channelId, streams, session, turns } = scene.transcript;
    expect(new TranscriptWindow(10).view(scene.transcript)).toEqual({ channelId, streams, session, turns });
  });

  it('of a long turn its end, over turns what is nearest; what is not there is counted in its place', () => {
    const scene = talk(talk(talk(new Scene(), 'a', 50).answer(), 'b', 50).answer(), 'c', 20);
    const window = new TranscriptWindow(80);
    const shown = outline(window.view(scene.transcript));
    expect(shown.slice(0, 3)).toEqual(['a', '+42', 'a 42']);
    expect(shown.slice(-2)).toEqual(['c 18', 'c 19']);
    expect(shown).toHaveLength(82);
    expect(window.view(scene.transcript)).toBe(window.view(scene.transcript));
    expect(window.view(scene.transcript).turns.slice(1)).toEqual(scene.turns.slice(1));
    const small = new TranscriptWindow(70).view(scene.transcript);
    expect(outline(small).slice(0, 3)).toEqual(['a', '+52', 'b 1']);
    expect(small.turns.map(({ id }) => id)).toEqual(scene.turns.map(({ id }) => id));
  });

  it('a question that waits is there however old it is, until it is answered', () => {
    const scene = new Scene().prompt('x').ask(7, { toolCallId: 't', title: 'rm' });
    for (let n = 0; n < 90; n++) scene.says(`${n}`, `m${n}`);
    const window = new TranscriptWindow(60);
    expect(outline(window.view(scene.transcript)).slice(0, 4)).toEqual(['x', '+1', 'permission', '+30']);
    scene.decide(7, { outcome: 'selected', optionId: 'yes' });
    expect(outline(window.view(scene.transcript)).slice(0, 3)).toEqual(['x', '+32', '30']);
  });
});

describe('TR141: a part that is shown stays where it is while more comes, and goes where somebody reads', () => {
  const more = (scene: Scene, from: number, count: number) => {
    for (let n = from; n < from + count; n++) scene.says(`x ${n}`, `x-${n}`);
  };

  it('grows to twice its size and falls back to it; held, to 4,000 items, beyond which the newest stand apart', () => {
    const scene = talk(new Scene(), 'x', 100);
    const window = new TranscriptWindow(70);
    const shown = () => outline(window.view(scene.transcript)).length - 2;
    expect(shown()).toBe(70);
    more(scene, 100, 70);
    expect(shown()).toBe(140);
    more(scene, 170, 1);
    expect(shown()).toBe(70);
    window.hold(true);
    more(scene, 171, 3_929);
    expect(shown()).toBe(3_999);
    more(scene, 4_100, 1_000);
    const apart = outline(window.view(scene.transcript));
    expect([apart[2], apart.indexOf('+939'), apart.at(-61)]).toEqual(['x 101', 4_002, '+939']);
    window.hold(false);
    expect(shown()).toBe(70);
  });

  it('more is shown before and after it where that is missing', () => {
    const scene = talk(new Scene(), 'x', 500);
    const window = new TranscriptWindow(60);
    window.hold(true);
    const shown = () => window.view(scene.transcript);
    const anchor = (at: number) => ({ turnId: scene.turn().id, itemId: scene.turn().items[at + 1]?.id ?? '' });
    shown();
    window.extend(anchor(440), 20);
    expect(outline(shown()).slice(0, 3)).toEqual(['x', '+420', 'x 420']);
    window.reach(scene.transcript, ({ id }) => id === anchor(200).itemId);
    const far = outline(shown());
    expect(far.slice(0, 3)).toEqual(['x', '+170', 'x 170']);
    expect(far.slice(61, 64)).toEqual(['x 229', '+210', 'x 440']);
    window.extend(anchor(440), 100);
    expect(outline(shown())).toContain('+110');
    window.extend(anchor(170), 100);
    expect(outline(shown()).slice(0, 3)).toEqual(['x', '+70', 'x 70']);
    window.extend(anchor(440), 200);
    expect(outline(shown()).filter((words) => words.startsWith('+'))).toEqual(['+70']);
    window.reach(scene.transcript, ({ id }) => id === 'nothing');
    window.reach(scene.transcript, ({ id }) => id === anchor(80).itemId);
    expect(outline(shown()).slice(0, 3)).toEqual(['x', '+70', 'x 70']);
    window.hold(false);
    window.resize(5);
    expect(outline(shown())).toHaveLength(62);
  });

  it('more comes on the side of what is gone to, also where an old question stands apart; what is gone brings nothing', () => {
    const scene = new Scene().prompt('x');
    for (let n = 0; n < 40; n++) scene.says(`${n}`, `m${n}`);
    scene.ask(7, { toolCallId: 't', title: 'rm' });
    for (let n = 40; n < 400; n++) scene.says(`${n}`, `m${n}`);
    const { id: turnId, items } = scene.turn();
    const window = new TranscriptWindow(60);
    window.reach(scene.transcript, ({ id }) => id === 'agent:m200');
    const gaps = () => outline(window.view(scene.transcript)).filter((words) => words.startsWith('+'));
    expect(gaps()).toEqual(['+41', '+130', '+110']);
    window.extend({ turnId, itemId: items.find(({ kind }) => kind === 'permission')?.id ?? '' }, 100);
    expect(gaps()).toEqual(['+110']);
    window.extend({ turnId, itemId: 'gone' }, 100);
    expect(gaps()).toEqual(['+110']);
  });
});

describe('TR142: the text of what is shown is bounded as well: of items of megabytes there are fewer', () => {
  const big = 'x'.repeat(1_000_000);
  const scene = new Scene().prompt('x');
  for (let n = 0; n < 300; n++) scene.says(`${n} ${big}`, `m${n}`);
  const anchor = (at: number) => ({ turnId: scene.turn().id, itemId: scene.turn().items[at + 1]?.id ?? '' });
  const shown = (window: TranscriptWindow) =>
    outline(window.view(scene.transcript)).map((words) => words.replace(/ x+/, ''));

  it('the newest that fit are there, and more come in place of those far from what is read', () => {
    const window = new TranscriptWindow(160);
    expect(shown(window)).toEqual(['x', '+295', '295', '296', '297', '298', '299']);
    window.hold(true);
    window.extend(anchor(295), 300);
    expect(shown(window)).toEqual(['x', '0', '1', '2', '3', '4', '+294', '299']);
    window.extend(anchor(299), 3);
    expect(shown(window)).toEqual(['x', '+3', '3', '4', '5', '6', '7', '+291', '299']);
  });

  it('one item that is larger than that is there all the same', () => {
    const window = new TranscriptWindow(1);
    expect(shown(window)).toEqual(['x', '+299', '299']);
    window.reach(scene.transcript, ({ id }) => id === anchor(100).itemId);
    expect(shown(window)).toEqual(['x', '+100', '100', '+198', '299']);
  });
});
