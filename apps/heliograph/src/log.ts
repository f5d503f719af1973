import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { badUsage } from './failure.ts';
import type { Env } from './settings.ts';

/** What programs log with: shaped like pino. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** The log on stderr: lines for people on a terminal, else JSON. HELIOGRAPH_LOG sets the least level shown. */
export function createLog(env: Env): Logger {
  const level = env.HELIOGRAPH_LOG ?? 'info';
  if (!levels.includes(level)) throw badUsage(`HELIOGRAPH_LOG: expected one of ${levels.join(', ')}, got ${level}.`);
  const destination = process.stderr.isTTY
    ? pretty({
        destination: 2,
        sync: true,
        singleLine: true,
        translateTime: 'SYS:HH:MM:ss',
        ignore: 'pid,hostname,part',
        messageFormat: '{if part}{part}: {end}{msg}',
      })
    : pino.destination({ dest: 2, sync: true });
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}
