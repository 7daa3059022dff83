/** Secrets of the configuration beside that of one webhook. */
import type { Config } from "../config.ts";

/** Whoever knows one of these could sign for the hook. */
export function otherSecrets(name: string, { gateway, channelsById, providers }: Config): readonly string[] {
  const hooks = Object.entries(gateway.hooks).flatMap(([other, { secret }]) =>
    other === name || secret === undefined ? [] : [secret],
  );
  const channels = Object.values(channelsById).flatMap(({ secret, token }) => [secret ?? "", token ?? ""]);
  const keys = Object.values(providers).map(({ apiKey }) => apiKey ?? "");
  return [...hooks, ...channels, ...keys, gateway.token ?? ""].filter((value) => value !== "");
}
