import { useState } from 'react';
import { relayProblem, relayUrls } from './relay-field.ts';

/** Relays that are named beside `home`, the one that serves the page: what is typed, and what it comes to. */
export interface NamedRelays {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly urls: readonly string[];
  /** What is wrong with it, for whoever wants to go on. */
  readonly problem: string | undefined;
}

export function useNamedRelays(home: string | undefined): NamedRelays {
  const [text, setText] = useState('');
  const urls = relayUrls(text);
  const isNone = urls.length === 0 && home === undefined;
  const problem = isNone ? 'Name a relay to meet your agents on, like ws://HOST:7447.' : relayProblem(urls);
  return { text, setText, urls, problem };
}

export function RelaysField(props: { readonly label: string; readonly relays: NamedRelays; readonly testId: string }) {
  const { relays } = props;
  return (
    <label className="stack gap-1">
      <span className="font-medium">{props.label}</span>
      <input
        className="field font-mono"
        value={relays.text}
        placeholder="ws://HOST:7447"
        onChange={(event) => relays.setText(event.target.value)}
        data-testid={props.testId}
      />
    </label>
  );
}

/** Why a form does not go on. */
export function FormProblem(props: { readonly text: string | undefined; readonly testId?: string }) {
  if (props.text === undefined) return null;
  return (
    <p className="text-bad" role="alert" data-testid={props.testId}>
      {props.text}
    </p>
  );
}
