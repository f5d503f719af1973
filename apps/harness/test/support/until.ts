const PATIENCE_MS = 40_000;
const LOOK_EVERY_MS = 5;

/** Waits until `look` gives something that is not undefined, null or false; fails with what is there instead. */
export async function until<T>(
  what: string,
  look: () => T | undefined | null | false,
  describe: () => string = () => '',
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`waited ${patienceMs} ms for ${what}\n${describe()}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
