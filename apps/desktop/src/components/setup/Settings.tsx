import { ArchiveChoice } from '../archive/ArchiveChoice.tsx';
import { BoundedText } from '../content/BoundedText.tsx';
import { CopyButton } from '../parts/CopyButton.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { PlainHttpNote } from '../parts/PlainHttpNote.tsx';
import { useDesktopState } from '../use-desktop.ts';
import { AgentLines } from './AgentLines.tsx';
import { InstallApp } from './InstallApp.tsx';
import { LeaveKey } from './LeaveKey.tsx';
import { LookChoices } from './LookChoices.tsx';
import { MoveKey } from './MoveKey.tsx';
import { NotifyChoices } from './NotifyChoices.tsx';
import { PushChoices } from './PushChoices.tsx';
import { RelayList } from './RelayList.tsx';
import { SettingsParts } from './SettingsParts.tsx';

const WHERE_KEPT = {
  host: 'The secret key is a file on the machine where heliograph desktop runs; this page’s worker holds it while it is open.',
  device: 'The secret key is kept in this browser, encrypted under your passphrase.',
  extension: 'The secret key is in this browser’s signer (NIP-07), which is asked for every message.',
  bunker:
    'The secret key is at your remote signer (NIP-46). This browser keeps a key of its own for the way there; the signer can end it.',
} as const;

/** The few things to set: how it looks, who is known, which key this is. */
export function Settings(props: { readonly onClose: () => void }) {
  const session = useDesktopState((state) => state.session);
  const agents = useDesktopState((state) => state.agents);
  if (session.phase !== 'ready') return null;
  return (
    <Dialog title="Settings" onClose={props.onClose} testId="settings-dialog" className="wide">
      <SettingsParts
        parts={[
          { id: 'look', name: 'Look', content: <LookChoices /> },
          {
            id: 'calls',
            name: 'Calls',
            content: (
              <>
                <NotifyChoices />
                <PushChoices />
                <InstallApp />
                <PlainHttpNote />
              </>
            ),
          },
          { id: 'agents', name: 'Agents', content: <AgentLines agents={agents} /> },
          { id: 'relays', name: 'Relays', content: <RelayList /> },
          { id: 'archive', name: 'Archive', content: <ArchiveChoice /> },
          {
            id: 'key',
            name: 'Key',
            content: (
              <>
                <section>
                  <h3 className="mb-1.5 font-medium">Your public key</h3>
                  <div className="frame flex items-start">
                    <div className="min-w-0 flex-1">
                      <BoundedText text={session.npub} label="Public key" />
                    </div>
                    <CopyButton text={() => session.npub} label="Copy the public key" />
                  </div>
                  <p className="mt-1 text-s text-ink-3">{WHERE_KEPT[session.keptBy]}</p>
                  <LeaveKey keptBy={session.keptBy} />
                </section>
                {(session.keptBy === 'host' || session.keptBy === 'device') && <MoveKey relays={session.relays} />}
              </>
            ),
          },
        ]}
      />
    </Dialog>
  );
}
