import type { ElicitationItem } from '@heliograph/transcript';
import { checkFormAnswer, type ElicitationAction, type FormFault } from '@heliograph/wire';
import { type FormEvent, useId, useRef, useState } from 'react';
import { type ControlEntry, describeProgress, selectDecision } from '../../store/control-entry.ts';
import { type FormDraft, keepDraft, NO_FORM, readDraft, toContent } from '../../text/form-draft.ts';
import { VisibleText } from '../content/VisibleText.tsx';
import { useDesktop, useDesktopState } from '../use-desktop.ts';
import { FieldView } from './FieldView.tsx';

/** The fields of what an agent asks, and the three ways to answer. What does not fit is said before it is sent. */
export function ElicitationAnswer(props: {
  readonly item: ElicitationItem;
  readonly agent: string;
  readonly channelId: string | null;
}) {
  const { item, agent, channelId } = props;
  const desktop = useDesktop();
  const sent = useDesktopState((state) => selectDecision(state.controls, agent, item.nonce));
  const form = item.form ?? NO_FORM;
  const draftKey = `form:${item.nonce}`;
  const [draft, setDraft] = useState<FormDraft>(() => readDraft(form, desktop.readDraft(draftKey)));
  const [fault, setFault] = useState<FormFault>();
  const fields = useRef<HTMLFormElement>(null);
  const id = useId();
  const isUnderway = sent !== undefined && sent.phase !== 'failed';
  const isPage = item.mode === 'url';
  const canAccept = item.actionable && (isPage || item.mode === 'form');

  const change = (name: string, value: string | boolean | readonly string[]) => {
    const next = new Map(draft).set(name, value);
    setDraft(next);
    // Cards that are scrolled away are not kept by the page.
    desktop.keepDraft(draftKey, keepDraft(next));
    if (fault?.field === name) setFault(undefined);
  };
  const answer = (action: ElicitationAction, content?: Readonly<Record<string, unknown>>) => {
    if (item.nonce === undefined || item.lineSha256 === undefined || isUnderway) return;
    desktop.control(agent, {
      type: 'elicitation_answer',
      channelId,
      requestNonce: item.nonce,
      // The hash of what is shown, not of what was told: where they differ the harness refuses.
      requestSha256: item.lineSha256,
      action,
      ...(content !== undefined ? { content } : {}),
    });
  };
  const accept = (event: FormEvent) => {
    event.preventDefault();
    if (!canAccept) return;
    if (isPage) return answer('accept');
    const content = toContent(form, draft);
    const found = checkFormAnswer(form, content);
    setFault(found);
    if (found === undefined) answer('accept', content);
    else {
      const at = form.fields.findIndex(({ name }) => name === found.field);
      fields.current?.querySelector<HTMLElement>(`[data-field="${at}"] :is(input, select, textarea)`)?.focus();
    }
  };
  return (
    <form ref={fields} className="stack gap-3" onSubmit={accept} noValidate data-testid="elicitation-form">
      {!canAccept && (
        <p className="text-s text-ink-2">
          {item.actionable
            ? 'It asks in a way that is not known here, so from here it can only be declined.'
            : 'The request was shortened or redacted on its way here, or is too large, so from here it can only be declined.'}
        </p>
      )}
      {canAccept && (
        <>
          {form.title !== undefined && (
            <p className="font-semibold">
              <VisibleText text={form.title} max={200} />
            </p>
          )}
          {form.description !== undefined && (
            <p className="whitespace-pre-wrap text-s text-ink-2">
              <VisibleText text={form.description} multiline max={2_000} />
            </p>
          )}
          {form.fields.map((field, at) => (
            <FieldView
              key={field.name}
              field={field}
              at={at}
              id={`${id}-${at}`}
              value={draft.get(field.name)}
              fault={fault?.field === field.name ? fault.expected : undefined}
              isDisabled={isUnderway}
              onChange={(value) => change(field.name, value)}
            />
          ))}
        </>
      )}
      <div className="flex flex-wrap items-center gap-2 max-md:grid">
        {canAccept && (
          <button type="submit" className="btn go" disabled={isUnderway} data-testid="elicitation-accept">
            {isPage ? 'Accept' : 'Send answer'}
          </button>
        )}
        <button
          type="button"
          className="btn"
          disabled={isUnderway}
          data-testid="elicitation-decline"
          onClick={() => answer('decline')}
        >
          Decline
        </button>
        <button
          type="button"
          className="btn"
          disabled={isUnderway}
          data-testid="elicitation-cancel"
          onClick={() => answer('cancel')}
        >
          Dismiss
        </button>
      </div>
      {sent !== undefined && <Progress sent={sent} />}
    </form>
  );
}

function Progress({ sent }: { readonly sent: ControlEntry }) {
  // The harness names the field that is not as the agent wants it.
  const words = sent.status === 'invalid_option' ? (sent.reason ?? '') : describeProgress(sent);
  return (
    <p
      className={`text-s ${sent.phase === 'failed' ? 'text-bad' : 'text-ink-2'}`}
      role="status"
      data-testid="control-progress"
      data-phase={sent.phase}
    >
      Your answer: <VisibleText text={words} max={400} />.
    </p>
  );
}
