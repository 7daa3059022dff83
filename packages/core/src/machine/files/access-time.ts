/** The access time of a file, set back so that the next read of it shows; and reading a directory without showing there. */
import fs, { type BigIntStats, type Dirent } from "node:fs";

/** Earlier than whatever a file system gives, so that the next read moves it. */
export const ARMED_NS = 1_000_000_000n;
const ARMED_S = 1;

/**
 * The modification time stays to the nanosecond: git and make would take the file for a changed one. libuv leaves it for
 * a time that is no number (`UTIME_OMIT`, libuv 1.51, Node 24); with any other argument Node loses the nanoseconds.
 * @param file A path, no link of which is followed, or a descriptor.
 */
export function setBack(file: string | number): void {
  if (typeof file === "number") fs.futimesSync(file, ARMED_S, new Date(Number.NaN));
  else fs.lutimesSync(file, ARMED_S, new Date(Number.NaN));
}

/**
 * What is in a directory. There is no way to read one without moving its access time: one that was set back is set back again,
 * which moves its change time. @returns `armed`: it was set back. @throws the file system's error.
 */
export function listUnseen(path: string): { readonly entries: readonly Dirent[]; readonly armed: boolean } {
  const armed = isArmed(statOf(path));
  const entries = fs.readdirSync(path, { withFileTypes: true });
  if (armed && !isArmed(statOf(path))) {
    try {
      setBack(path);
    } catch {
      // Somebody else's by now: it counts as read.
    }
  }
  return { entries, armed };
}

function isArmed(stats: BigIntStats | undefined): boolean {
  return stats?.atimeNs === ARMED_NS;
}

function statOf(path: string): BigIntStats | undefined {
  return fs.statSync(path, { bigint: true, throwIfNoEntry: false });
}
