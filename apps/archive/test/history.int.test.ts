import { createRelayClient, openSocketWith } from '@heliograph/client';
import { localSigner, type NostrEvent } from '@heliograph/wire';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { clock, crypto, OwnerAtWork, Stage, until } from './support/stage.ts';

let stage: Stage;
afterEach(() => stage.close());

const socket = { port: 0, origins: () => ['http://127.0.0.1:7448'] };

describe('history', () => {
  it('AR50: a viewer reads history from the archive by the protocol it speaks, without a relay or a harness', async () => {
    stage = await Stage.open();
    const harness = await stage.harness('echoes.mjs');
    const archive = await stage.archive({ socket });
    const owner = stage.work();
    for (const text of ['one two', 'three four']) await owner.turn(harness.channelId, text);
    await until('both turns', () => stage.query("SELECT 1 FROM turns WHERE outcome = 'completed'").length === 2);
    await harness.close();

    const reader = new OwnerAtWork(stage, archive.url);
    const turns = () =>
      reader.fold.transcript(harness.channelId).turns.filter(({ outcome }) => outcome === 'completed');
    await until('the history', () => turns().length === 2);
    expect(JSON.stringify(turns())).toContain('three four');
    // The stream's end reaches owner, archive and reader each in its own time.
    const linesOf = (viewer: OwnerAtWork) => [...viewer.fold.log.range(harness.stream, 1, 1e9)];
    const isClosed = (viewer: OwnerAtWork) => linesOf(viewer).at(-1)?.kind === 'stream_closed';
    await until('the end of the stream', () => isClosed(owner) && isClosed(reader));
    expect(linesOf(reader)).toEqual(linesOf(owner));
    reader.viewer.close();
  });

  it('AR51: what is kept goes on to its viewers, a replay brings a range and names what is missing, a REQ a time range', async () => {
    stage = await Stage.open();
    const harness = await stage.harness('echoes.mjs');
    const archive = await stage.archive({ socket });
    const live = new OwnerAtWork(stage, archive.url);
    const owner = stage.work();
    await owner.turn(harness.channelId, 'seen twice');
    await until('it live', () => JSON.stringify(live.fold.transcript(harness.channelId)).includes('seen twice'));
    live.viewer.close();

    const client = connect(stage.ownerSecret, archive.url ?? '');
    await until('the archive', () => client.state.phase === 'ready');
    const frames: NostrEvent[] = [];
    const abort = new AbortController();
    const filter = { kinds: [24_200], authors: [stage.agent], since: 0, limit: 3 };
    for await (const item of client.subscribe([filter], { signal: abort.signal })) {
      if (item.type === 'event') frames.push(item.event);
      else if (item.type === 'eose') break;
    }
    // What comes after that is live.
    abort.abort();
    expect(frames).toHaveLength(3);
    const replay = await stage.control({ type: 'replay', stream: harness.stream, fromSeq: 1, toSeq: 100_000 });
    const answer = await client.publish(replay, { timeoutMs: 10_000 });
    expect(answer).toMatchObject({
      ok: true,
      value: { message: expect.stringMatching(/frames from the archive; missing (?:\d+-\d+,)*\d+-100000/) },
    });
    client.close();
  });

  it('AR52: strangers, foreign pages and foreign names get nothing', async () => {
    stage = await Stage.open();
    const archive = await stage.archive({ socket });
    const url = archive.url ?? '';
    const status = (headers: Record<string, string>) =>
      new Promise<number>((resolve, reject) => {
        const ws = new WebSocket(url, { headers });
        ws.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
        ws.on('open', () => {
          ws.close();
          resolve(101);
        });
        ws.on('error', reject);
      });
    expect(await status({ host: 'evil.example' })).toBe(421);
    expect(await status({ origin: 'http://evil.example' })).toBe(403);
    expect(await status({ origin: 'http://127.0.0.1:7448' })).toBe(101);

    const said = await new Promise<string[]>((resolve) => {
      const ws = new WebSocket(url);
      const texts: string[] = [];
      ws.on('message', (data) => {
        texts.push(String(data));
        if (texts.length === 2) resolve(texts);
      });
      ws.on('open', () => ws.send('["REQ","all",{}]'));
    });
    expect(said[1]).toMatch(/^\["CLOSED","all","auth-required:/);
    const stranger = connect(crypto.randomBytes(32), url);
    await until('a refusal', () => JSON.stringify(stranger.state).includes('its owner only'));
    stranger.close();
  });
});

function connect(secret: Uint8Array, url: string) {
  const signer = localSigner(secret, crypto);
  return createRelayClient({ url, signer, openSocket: openSocketWith(WebSocket), clock, random: Math.random });
}
