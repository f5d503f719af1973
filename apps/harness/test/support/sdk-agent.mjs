// An agent built on the official SDK: it checks every message of ours strictly. It asks for permission in each turn.
import { Readable, Writable } from 'node:stream';
import { agent, methods, ndJsonStream } from '@agentclientprotocol/sdk';

agent({ name: 'sdk-agent' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentCapabilities: { loadSession: false },
    agentInfo: { name: 'sdk-agent', version: '1.0.0' },
  }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    if (!params.cwd.startsWith('/')) throw new Error('cwd must be absolute');
    return { sessionId: 'sdk-session' };
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client, signal }) => {
    const { sessionId } = params;
    const say = (text) =>
      client.notify(methods.client.session.update, {
        sessionId,
        update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
      });
    const { outcome } = await client.request(methods.client.session.requestPermission, {
      sessionId,
      toolCall: { toolCallId: 'call', title: 'Run it', kind: 'execute' },
      options: [
        { optionId: 'go', name: 'Go', kind: 'allow_once' },
        { optionId: 'no', name: 'No', kind: 'reject_once' },
      ],
    });
    await say(`outcome ${outcome.outcome}`);
    return { stopReason: outcome.outcome === 'cancelled' || signal.aborted ? 'cancelled' : 'end_turn' };
  })
  .onNotification(methods.agent.session.cancel, () => {})
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
