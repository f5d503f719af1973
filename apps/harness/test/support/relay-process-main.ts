import { startRelay } from '@heliograph/app-relay';
import { selectNodeCrypto } from '@heliograph/crypto/node';

/** The program of `RelayProcess`: a relay, told by RELAY what to use. */
interface Told {
  readonly port: number;
  readonly publicUrl: string;
  readonly dataDir: string;
  readonly owners: readonly string[];
}

const told = JSON.parse(process.env.RELAY ?? '') as Told;
const { crypto } = selectNodeCrypto();
await startRelay({ ...told, host: '127.0.0.1', crypto, log: { debug() {}, info() {}, warn() {}, error() {} } });
process.stdout.write('listening\n');
