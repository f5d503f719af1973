import { open, rename } from 'node:fs/promises';

/** Puts a text in the place of the one before, 0600: whole and on disk when it resolves. Rejects with the system's error. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const half = `${path}.new`;
  const file = await open(half, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(half, path);
}
