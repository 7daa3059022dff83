// The program that stands between margay and a command, so that the command and its exit status survive margay.

/**
 * POSIX sh, run in its own session as `sh -c SCRIPT margay-exec DIRECTORY TAG DEADLINE ARGV…` with descriptor 3 a pipe
 * whose other end only margay holds. It costs two forks and no program besides the command's own.
 *
 * - `pid` is written before `stop` is looked for, and a new margay writes `stop` before it looks for `pid`: a command is
 *   either seen by recovery or never starts. Where it never will, the directory may be set aside for another start of the
 *   call: then there is no place for `pid`, or an intent with another tag. Both names end with the tag, so that such a one
 *   says nothing of the other start.
 * - The shell's own words ("Terminated") are nobody's output: its descriptor 2 is the command's only inside the command.
 * - The command runs in the foreground: a background one would ignore SIGINT and SIGQUIT.
 * - The guard is ended by SIGKILL: a shell that was forked a moment ago loses a SIGTERM while it resets its traps.
 * - What it writes is its owner's alone; the command has the umask of the person.
 * - The traps keep `kill 0` inside the command from ending its own supervisor; children do not inherit them.
 * - The receipt is one write of a few bytes; a reader takes it only with its newline.
 * - Descriptor 3 ends when margay dies; only then the background part starts to keep the deadline (seconds since the
 *   epoch), to bound the output files, and in the end to kill what the command left running. Without its supervisor (`$$` in
 *   a subshell too) it ends the command.
 */
export const SUPERVISOR_SCRIPT: string = String.raw`
exec 4>&2 2>/dev/null
mask=$(umask)
umask 077
trap : HUP INT TERM
d=$1 tag=$2 deadline=$3
shift 3
read -r stat < /proc/$$/stat
printf '%s %s\n' "$$" "${"$"}{stat##*) }" > "$d/pid.$tag" || exit 125
[ -e "$d/stop" ] && { : > "$d/unstarted.$tag"; exit 125; }
read -r intent < "$d/intent.json"
case $intent in *'"tag":'"$tag",*) ;; *) exit 125 ;; esac

signal() {
  if [ ! -r /proc/self/limits ]; then
    [ "$1" = KILL ] && printf '137\n' > "$d/receipt"
    trap : TERM
    kill "-$1" 0
    return
  fi
  for p in /proc/[0-9]*; do
    while read -r a b c soft _; do
      [ "$a $b $c $soft" = "Max file locks $tag" ] && kill "-$1" "${"$"}{p#/proc/}"
    done < "$p/limits"
  done
}

bound() {
  for f in "$d/stdout" "$d/stderr"; do
    size=$(wc -c < "$f")
    [ "$size" -gt 67108864 ] && fallocate -p -o 1048576 -l $((size - 2097152)) "$f"
  done
}

alone() {
  PATH=/usr/bin:/bin:/usr/local/bin
  late=
  : > "$d/alone"
  while [ ! -s "$d/receipt" ] && kill -0 "$$"; do
    if [ "$late" ]; then
      signal KILL
    elif [ "$(date +%s)" -ge "$deadline" ]; then
      : > "$d/timeout"
      late=1
      signal TERM
      sleep 1
    fi
    bound
    sleep 1
  done
  signal KILL
}

{ read -r _ <&3; alone; } > /dev/null 4>&- &
guard=$!
( ulimit -x "$tag" || ulimit -w "$tag"; umask "$mask"; exec 2>&4 4>&-; exec "$@" ) 3<&-
code=$?
printf '%s\n' "$code" > "$d/receipt"
[ -e "$d/alone" ] && signal KILL
kill -KILL "$guard"
wait "$guard"
exit "$code"
`;
