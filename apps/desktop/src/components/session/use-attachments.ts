import { useState } from 'react';
import type { Accepts, Attachment } from '../../text/prompt-blocks.ts';
import { AttachmentError, readAttachment } from './read-attachment.ts';

/** Files that are to go with a prompt, and why one could not. */
export interface Attachments {
  readonly list: readonly Attachment[];
  readonly problem: string | undefined;
  add(files: readonly File[]): void;
  remove(id: number): void;
  clear(): void;
}

export function useAttachments(accepts: Accepts): Attachments {
  const [list, setList] = useState<readonly Attachment[]>([]);
  const [problem, setProblem] = useState<string | undefined>();
  const addOne = async (file: File) => {
    try {
      const attachment = await readAttachment(file, accepts);
      setList((before) => [...before, attachment]);
    } catch (cause) {
      setProblem(cause instanceof AttachmentError ? cause.message : `${file.name}: it could not be read`);
    }
  };
  return {
    list,
    problem,
    add(files) {
      setProblem(undefined);
      for (const file of files) void addOne(file);
    },
    remove: (id) => setList((before) => before.filter((attachment) => attachment.id !== id)),
    clear() {
      setList([]);
      setProblem(undefined);
    },
  };
}
