import type { PermissionItem, PermissionOption } from '@heliograph/transcript';
import { Ban, Check, CheckCheck, CircleQuestionMark, type LucideIcon, X } from 'lucide-react';
import { useState } from 'react';
import { describeProgress, selectDecision } from '../../store/control-entry.ts';
import { VisibleText } from '../content/VisibleText.tsx';
import { useDesktop, useDesktopState } from '../use-desktop.ts';
import { useHeldAnswer } from './use-held-answer.ts';

/** The agent's options, word for word, as buttons with keys. "Always" asks once more. */
export function PermissionOptions(props: {
  readonly item: PermissionItem;
  readonly agent: string;
  readonly channelId: string | null;
  readonly cwd: string | undefined;
}) {
  const { item, agent, channelId } = props;
  const desktop = useDesktop();
  const sent = useDesktopState((state) => selectDecision(state.controls, agent, item.nonce));
  const [confirming, setConfirming] = useState<PermissionOption>();
  const isUnderway = sent !== undefined && sent.phase !== 'failed';

  const decide = (option: PermissionOption, confirm: boolean) => {
    if (item.nonce === undefined || channelId === null) return;
    setConfirming(undefined);
    desktop.control(agent, {
      type: 'permission_decision',
      channelId,
      requestNonce: item.nonce,
      // The hash of what is shown, not of what was told: where they differ the harness refuses.
      ...(item.lineSha256 !== undefined ? { requestSha256: item.lineSha256 } : {}),
      optionId: option.optionId,
      ...(confirm ? { confirm: true } : {}),
    });
  };
  const isOpenTo = (option: PermissionOption) => !isUnderway && isAllowedHere(item, option);
  const choose = (option: PermissionOption) => {
    if (!isOpenTo(option)) return;
    if (option.kind === 'allow_always') setConfirming(option);
    else decide(option, false);
  };
  const optionOf = (key: string) => {
    const kind = key === 'a' ? 'allow_once' : key === 'd' ? 'reject_once' : undefined;
    const option = kind === undefined ? item.options[Number(key) - 1] : item.options.find((one) => one.kind === kind);
    return confirming === undefined && option !== undefined && isOpenTo(option) ? option : undefined;
  };
  const { held, letGo } = useHeldAnswer(item.id, optionOf, choose);

  const primary = item.options.find((option) => option.kind === 'allow_once');
  const always = confirming;
  return (
    <div className="stack gap-2">
      {!item.actionable && (
        <p className="text-s text-ink-2">
          The request was shortened or redacted on its way here, so from here it can only be rejected.
        </p>
      )}
      {always !== undefined ? (
        <Confirm option={always} onYes={() => decide(always, true)} onBack={() => setConfirming(undefined)} />
      ) : (
        <div className="settling flex flex-wrap items-center gap-2 max-md:grid max-md:grid-cols-1">
          {item.options.map((option, at) => (
            <button
              key={option.optionId}
              type="button"
              className={`btn ${option === primary ? 'go' : ''} ${option.optionId === held?.optionId ? 'held' : ''}`}
              disabled={!isOpenTo(option)}
              data-testid="permission-option"
              data-option-id={option.optionId}
              data-option-kind={option.kind}
              onClick={() => choose(option)}
            >
              <KindSign kind={option.kind} />
              <VisibleText text={option.name} max={200} />
              {at < 9 && <kbd>{at + 1}</kbd>}
            </button>
          ))}
          {item.options.length === 0 && <p className="text-s text-ink-2">The agent offers no answers.</p>}
          {props.cwd !== undefined && (
            <span className="min-w-0 text-s wrap-anywhere text-ink-2">
              in{' '}
              <span className="font-mono">
                <VisibleText text={props.cwd} max={300} />
              </span>
            </span>
          )}
        </div>
      )}
      {letGo !== undefined && sent === undefined && (
        <p className="text-s text-ink-2" role="status" data-testid="let-go">
          Nothing was answered: hold “{letGo}” until its button is full.
        </p>
      )}
      {sent !== undefined && (
        <p
          className={`text-s ${sent.phase === 'failed' ? 'text-bad' : 'text-ink-2'}`}
          role="status"
          data-testid="control-progress"
          data-phase={sent.phase}
        >
          Your answer: {describeProgress(sent)}.
        </p>
      )}
    </div>
  );
}

/** Asks once more before leave is given for good. */
function Confirm(props: {
  readonly option: PermissionOption;
  readonly onYes: () => void;
  readonly onBack: () => void;
}) {
  return (
    <div
      className="settling flex flex-wrap items-center gap-2 max-md:grid max-md:grid-cols-1"
      data-testid="permission-confirm"
    >
      <span>It will not ask again for this.</span>
      <button type="button" className="btn go" data-testid="permission-confirm-yes" onClick={props.onYes}>
        Yes: <VisibleText text={props.option.name} max={120} />
      </button>
      <button type="button" className="btn" onClick={props.onBack}>
        Back
      </button>
    </div>
  );
}

const KINDS: Readonly<Record<string, readonly [Icon: LucideIcon, words: string]>> = {
  allow_once: [Check, 'allows it once'],
  allow_always: [CheckCheck, 'allows it from now on'],
  reject_once: [X, 'rejects it once'],
  reject_always: [Ban, 'rejects it from now on'],
};

/** What an option does, by the kind the agent gave it: its name may say anything. */
function KindSign({ kind }: { readonly kind: string }) {
  const [Icon, words] = (Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined) ?? [
    CircleQuestionMark,
    'of a kind that is not known',
  ];
  return (
    <span className="opacity-60" title={words}>
      <Icon size={13} strokeWidth={1.9} aria-hidden="true" />
      <span className="sr-only">{words}: </span>
    </span>
  );
}

/** What was not shown whole can't be allowed from afar. An unknown kind is never an allow, but may well be one. */
function isAllowedHere(item: PermissionItem, option: PermissionOption): boolean {
  return item.actionable || option.kind === 'reject_once' || option.kind === 'reject_always';
}
