import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Packer } from '@heliograph/record';

/**
 * What small envelopes have in common: with it a single line packs as well as a long stretch. Part of the file format:
 * it may never change.
 */
const DICTIONARY = Buffer.from(
  '"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true}"kind":"permission_pending","permission_terminal"' +
    '"options":[{"optionId":"allow","name":"Allow","kind":"allow_once"},{"optionId":"reject","name":"Reject","kind":"reject_once"}]' +
    '{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":""outcome":{"outcome":"selected","optionId":"' +
    '"sessionUpdate":"tool_call","toolCallId":"call_","title":"","kind":"execute","status":"pending","rawInput":{"command":"","cwd":"' +
    '"sessionUpdate":"tool_call_update","status":"in_progress""status":"completed","content":[{"type":"content","content":{"type":"text","text":"' +
    '"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":""sessionUpdate":"plan","entries":[{"content":"","priority":"medium","status":"' +
    '{"seq":1,"timestamp":"2026-11-30T09:20:03.000000Z","kind":"batch","agentIndex":0,"channelId":"","sessionId":"","turnId":null,"startedAt":"2026-' +
    '","stream":"","prev":"","payload":{"events":[{"seq":2,"timestamp":"2026-11-30T09:20:03.000000Z","kind":"acp_write","agentIndex":0,"channelId":"' +
    '","via":"owner","payload":{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}' +
    '","kind":"acp_read","agentIndex":0,"channelId":"","sessionId":"","turnId":"","stream":"","payload":{"jsonrpc":"2.0","method":"session/update",' +
    '"params":{"sessionId":"","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":" ',
);
/** Two levels more save two per cent and cost half as much time again; a larger window costs more to set up than it saves on envelopes. */
const LEVEL = 2;
/** Most texts pack into this: Node's own choice, eight times as much, is no part of its pool and costs more than it spares. */
const CHUNK_BYTES = 2_048;

/** Raw DEFLATE (RFC 1951) with the dictionary above. */
export const packer: Packer = {
  pack: (bytes) =>
    deflateRawSync(bytes, {
      level: LEVEL,
      windowBits: 14,
      memLevel: 7,
      chunkSize: CHUNK_BYTES,
      dictionary: DICTIONARY,
    }),
  unpack: (bytes, maxBytes) => inflateRawSync(bytes, { dictionary: DICTIONARY, maxOutputLength: maxBytes }),
};
