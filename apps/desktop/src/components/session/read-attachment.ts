import { type Accepts, type Attachment, refuseKind } from '../../text/prompt-blocks.ts';

/** A file that can't go with a prompt, as a sentence. */
export class AttachmentError extends Error {}

/** What one file may take of a prompt, as base64 or text. */
const MAX_DATA_LENGTH = 34_000;
/** Tried in this order until a picture fits: longest side in pixels, quality. */
const SHRINK_STEPS = [
  [1_600, 0.8],
  [1_200, 0.7],
  [900, 0.6],
  [640, 0.5],
  [480, 0.4],
] as const;
const SHRUNK_TYPE = 'image/webp';
let lastId = 0;

/** Reads a pasted, dropped or chosen file; pictures are made smaller until they fit one frame. Rejects with AttachmentError. */
export async function readAttachment(file: File, accepts: Accepts): Promise<Attachment> {
  const kind = kindOf(file);
  const refusal = refuseKind(kind, accepts);
  if (refusal !== undefined) throw new AttachmentError(`${file.name}: ${refusal}`);
  const base = { id: ++lastId, name: file.name === '' ? 'pasted' : file.name, mimeType: file.type, kind };
  if (kind === 'image') return { ...base, ...(await readPicture(file)) };
  if (kind === 'audio') return { ...base, data: checkLength(file, await toBase64(file)) };
  const data = await file.text();
  if (data.includes('\0') || data.includes('\ufffd'))
    throw new AttachmentError(`${file.name}: only text, pictures and sound can go with a prompt`);
  return { ...base, mimeType: file.type === '' ? 'text/plain' : file.type, data: checkLength(file, data) };
}

function kindOf({ type }: File): Attachment['kind'] {
  // An SVG is text to an agent: no model takes it as a picture.
  if (type.startsWith('image/') && type !== 'image/svg+xml') return 'image';
  return type.startsWith('audio/') ? 'audio' : 'text';
}

function checkLength(file: File, data: string): string {
  if (data.length <= MAX_DATA_LENGTH) return data;
  const kib = (length: number) => Math.ceil(length / 1_024);
  throw new AttachmentError(
    `${file.name}: ${kib(data.length)} KiB do not fit one prompt (${kib(MAX_DATA_LENGTH)} KiB); name it with @ if the agent’s machine has it`,
  );
}

async function readPicture(file: File): Promise<{ readonly mimeType: string; readonly data: string }> {
  const original = await toBase64(file);
  if (original.length <= MAX_DATA_LENGTH) return { mimeType: file.type, data: original };
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new AttachmentError(`${file.name}: this picture can not be read`);
  });
  try {
    for (const [side, quality] of SHRINK_STEPS) {
      const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height));
      const canvas = document.createElement('canvas');
      canvas.width = Math.max(1, Math.round(bitmap.width * scale));
      canvas.height = Math.max(1, Math.round(bitmap.height * scale));
      canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
      const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, SHRUNK_TYPE, quality));
      const data = blob === null ? undefined : await toBase64(blob);
      // A browser that can't write the type gives another, larger one.
      if (blob !== null && data !== undefined && data.length <= MAX_DATA_LENGTH) return { mimeType: blob.type, data };
    }
  } finally {
    bitmap.close();
  }
  throw new AttachmentError(`${file.name}: this picture can not be made small enough for one prompt`);
}

async function toBase64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}
