import type { KnownAgent } from '@heliograph/client';
import { err, ok, type Result } from '@heliograph/wire';
import type { ArchiveAnswers, ArchiveAsk } from '../archive-ask.ts';
import type { OwnerBook } from './owner-book.ts';
import type { AgentChange, PageServer } from './protocol.ts';

/** `unreachable`: nothing answers there. `refused`: it answered with `message`. `unreadable`: what answers is none of ours. */
export interface HostError {
  readonly code: 'unreachable' | 'unreadable' | 'refused';
  readonly message: string;
}

/** What the host hands out for a token. */
export interface HostSession {
  readonly secret: { readonly secretKeyHex: string } | { readonly ncryptsec: string };
  readonly relays: readonly string[];
  readonly agents: readonly KnownAgent[];
  readonly viewerId: string;
  readonly apiToken: string;
  readonly nextToken: string;
}

/** The host's requests below `base` + `api/`, made from the worker so that secrets in them never touch the page. */
export class HostApi implements OwnerBook {
  readonly #base: string;
  readonly #fetch: typeof fetch;
  #apiToken = '';

  constructor(base: string, fetcher: typeof fetch) {
    this.#base = new URL('api/', base).href;
    this.#fetch = fetcher;
  }

  /** Who answers where the page came from: a desktop's host, something else, or nobody. */
  async whoIsThere(): Promise<PageServer> {
    const health = await this.#ask('health', undefined);
    if (health.ok && health.value.ok === true) return 'host';
    return !health.ok && health.error.code === 'unreachable' ? 'away' : 'other';
  }

  async session(token: string): Promise<Result<HostSession, HostError>> {
    const reply = await this.#ask('session', { token });
    if (!reply.ok) return reply;
    const { secretKeyHex, ncryptsec, relays, agents, viewerId, apiToken, nextToken } = reply.value as Record<
      string,
      string
    > & { relays: readonly string[]; agents: readonly KnownAgent[] };
    if (viewerId === undefined || apiToken === undefined || nextToken === undefined) return unreadable();
    this.#apiToken = apiToken;
    const rest = { relays, agents, viewerId, apiToken, nextToken };
    if (secretKeyHex !== undefined) return ok({ secret: { secretKeyHex }, ...rest });
    return ncryptsec === undefined ? unreadable() : ok({ secret: { ncryptsec }, ...rest });
  }

  async changeAgent(change: AgentChange): Promise<Result<readonly KnownAgent[], HostError>> {
    const reply = await this.#ask('agents', change);
    return reply.ok ? ok(reply.value.agents as readonly KnownAgent[]) : reply;
  }

  async invite(
    name: string,
    relays: readonly string[],
  ): Promise<Result<{ readonly text: string; readonly agents: readonly KnownAgent[] }, HostError>> {
    const reply = await this.#ask('invites', { name, relays });
    if (!reply.ok) return reply;
    const { invite, agents } = reply.value;
    return typeof invite === 'string' ? ok({ text: invite, agents: agents as readonly KnownAgent[] }) : unreadable();
  }

  /** `signal`: who asked no longer waits, and the host stops looking. */
  async archive<A extends ArchiveAsk>(
    ask: A,
    signal: AbortSignal,
  ): Promise<Result<ArchiveAnswers[A['ask']], HostError>> {
    const reply = await this.#ask('archive', ask, signal);
    return reply.ok ? ok(reply.value as unknown as ArchiveAnswers[A['ask']]) : reply;
  }

  async #ask(
    path: string,
    body: object | undefined,
    signal?: AbortSignal,
  ): Promise<Result<Record<string, unknown>, HostError>> {
    let response: Response;
    let value: unknown;
    try {
      response = await this.#fetch(new URL(path, this.#base), {
        cache: 'no-store',
        credentials: 'omit',
        redirect: 'error',
        ...(signal === undefined ? {} : { signal }),
        ...(body === undefined
          ? {}
          : {
              method: 'POST',
              headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${this.#apiToken}` },
              body: JSON.stringify(body),
            }),
      });
    } catch {
      return err({
        code: 'unreachable',
        message: 'The desktop’s host does not answer: is `heliograph desktop` still running?',
      });
    }
    try {
      value = await response.json();
    } catch {
      return unreadable();
    }
    if (typeof value !== 'object' || value === null) return unreadable();
    if (response.ok) return ok(value as Record<string, unknown>);
    const { message } = value as { message?: unknown };
    return err({
      code: 'refused',
      message: typeof message === 'string' ? message : `The host answered ${response.status}.`,
    });
  }
}

function unreadable(): { readonly ok: false; readonly error: HostError } {
  return err({ code: 'unreadable', message: 'What answers there is no desktop host.' });
}
