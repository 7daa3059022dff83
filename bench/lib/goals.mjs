// What margay may cost: of the floor of the same run where machines differ.
import { median } from "./stage.mjs";

export const SESSIONS = 50;

/**
 * `of`: the figure. `against`: divided by the floor's. `limit`: the goal; at most, or at least with `atLeast`. Four are what is reached,
 * not what was wished for (decision 0099).
 */
export const GATES = [
  { measure: "version", name: "margay --version, of node -e 0", of: "ms", against: true, limit: 1.5 },
  { measure: "cold", name: "start to first request, of the floor", of: "firstMs", against: true, limit: 2.4 },
  { measure: "cold", name: "CPU of one answer, ms", of: "cpuMs", limit: 90 },
  { measure: "cold", name: "peak memory of one answer, MB", of: "peakMB", limit: 65 },
  { measure: "cold", name: "answer to exit, ms", of: "exitMs", limit: 20 },
  { measure: "far", name: "the same over TLS, 40 ms per trip", of: "firstMs", against: true, limit: 1.3 },
  { measure: "beside", name: "start to first request beside a gateway", of: "firstMs", against: true, limit: 1.8 },
  { measure: "rounds", name: "a tool round, of the floor", of: "roundMs", against: true, limit: 3.4 },
  { measure: "writes", name: "a round that writes, of the floor", of: "roundMs", against: true, limit: 3.4 },
  { measure: "started", name: "prompt to first request, of the floor", of: "startMs", against: true, limit: 9 },
  { measure: "commands", name: "eight commands of 200 ms in the sandbox, ms", of: "commandsMs", limit: 300 },
  { measure: "unconfined", name: "eight commands of 200 ms without it, ms", of: "commandsMs", limit: 235 },
  { measure: "stream", name: "streamed chunks a second", of: "perSecond", limit: 200_000, atLeast: true },
  { measure: "stream", name: "CPU of a streamed word, of the floor", of: "wordUs", against: true, limit: 3 },
  { measure: "stream", name: "memory growth of a second stream, MB", of: "growthMB", limit: 20 },
  { measure: "sessions", name: `${SESSIONS} sessions, of the floor`, of: "wallMs", against: true, limit: 1.15 },
  { measure: "sessions", name: "memory of a session, MB", of: "sessionMB", limit: 0.75 },
  { measure: "gateway", name: "gateway to ready, ms", of: "readyMs", limit: 150 },
  { measure: "gateway", name: "idle gateway, MB", of: "idleMB", limit: 80 },
];

/** @param pairs One figure or more of each side, of one repetition. @param headRoom For noise: 1 is none. */
export function judge({ name, of, against, limit, atLeast }, pairs, headRoom) {
  const value = median(pairs.map((pair) => (against ? pair.margay[of] / pair.floor[of] : pair.margay[of])));
  const bound = atLeast ? limit / headRoom : limit * headRoom;
  const figures = {
    measured: round(value),
    limit: `${atLeast ? "≥" : "≤"} ${limit}`,
    "fails at": `${atLeast ? "<" : ">"} ${round(bound)}`,
    floor: round(median(pairs.map((pair) => pair.floor[of]))),
    margay: round(median(pairs.map((pair) => pair.margay[of]))),
  };
  return { name, ...figures, ok: atLeast ? value >= bound : value <= bound };
}

function round(value) {
  return value >= 100 ? Math.round(value) : Math.round(value * 100) / 100;
}
