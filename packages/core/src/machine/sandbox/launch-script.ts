// The two short shell programs around bubblewrap: limits and descriptors outside, what only holds inside.
import { shellPath } from "../process/shell-path.ts";

/** For each process; `watchSpace` bounds them together. */
export const LIMITS = {
  /** Threads count. Inside, so that it counts this sandbox alone (Linux 5.14) and not all the user runs. */
  processes: 256,
  /** Private memory that can be written to. Reserved addresses cost nothing: WebAssembly reserves 10 GiB for each memory. */
  dataBytes: 4_294_967_296,
  addressBytes: 68_719_476_736,
  fileBytes: 1_073_741_824,
  openFiles: 1_024,
  cpuSeconds: 3_600,
  temporaryBytes: 1_073_741_824,
  runBytes: 268_435_456,
  sharedBytes: 268_435_456,
} as const;

/**
 * `sh -c OUTER margay-sandbox FILTER PASSWD GROUP HOSTS GIT ARGV…`. The descriptors are read by bubblewrap and closed. When memory is
 * short, the system ends these programs before others. A limit that is lower already stays.
 */
export const OUTER: string = `
{
  ulimit -c 0
  ulimit -f ${LIMITS.fileBytes / 512}
  ulimit -d ${LIMITS.dataBytes / 1024}
  ulimit -v ${LIMITS.addressBytes / 1024}
  ulimit -n ${LIMITS.openFiles}
  ulimit -t ${LIMITS.cpuSeconds}
  echo 1000 > /proc/self/oom_score_adj
} 2> /dev/null
exec 9< "$1" 8< "$2" 7< "$3" 6< "$4" 5< "$5"
shift 5
exec "$@"
`;

/**
 * Before OUTER and around the program: bubblewrap would die of the SIGTERM that asks the program to end, and take it along before
 * it could clean up. So only the program hears it. Needs the `env` of GNU.
 */
export const DEAF = "trap '' TERM\n";
export const HEARING: readonly string[] = ["/usr/bin/env", "--default-signal=TERM"];

/**
 * `sh -c INNER margay-sandbox DIRECTORY ARGV…`: enters the directory with the rights of the command, since one that is closed to
 * others (0700) opens to nobody else, bubblewrap without root's rights included. Whatever descriptor margay was started with ends here. Of more than one digit they are
 * rare and dash cannot name them: bash closes them, which otherwise would cost each command some milliseconds. What it adds
 * to the environment is taken out again: a command sees nothing of how margay was started.
 * @param others Processes of the same user that are counted too: none in a user namespace.
 */
export function innerScript(others: number): string {
  const shell = shellPath();
  const bash = shell.endsWith("/bash") ? shell : "";
  return String.raw`
cd -- "$1" || exit 126
unset OLDPWD
shift
ulimit -p PROCESSES 2> /dev/null || ulimit -u PROCESSES || exit 126
more=
for fd in /proc/self/fd/*; do
  fd=${"$"}{fd##*/}
  case $fd in [012]) ;; [3-9]) eval "exec $fd<&-" ;; *) more="$more $fd<&-" ;; esac
done
[ -z "$more" ] || [ ! -x 'BASH' ] || exec 'BASH' -c "exec$more"' /usr/bin/env -u SHLVL "$@"' margay-sandbox "$@"
exec "$@"
`
    .replaceAll("PROCESSES", String(LIMITS.processes + others))
    .replaceAll("BASH", bash);
}
