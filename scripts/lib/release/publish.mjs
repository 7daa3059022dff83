// Puts packed packages on the registry, in order. What stands there already, with the same bytes, is passed over: so a release
// that broke off is finished by the same command.
import { spawnSync } from "node:child_process";

/**
 * @param packages `{ name, version, tarball, integrity }` in the order of publishing.
 * @param registry Its address; undefined: npm's own configuration.
 * @param provenance Whether the forge vouches for who built it; only there it can.
 * @throws Error when the registry has other bytes under that name and version, or when npm refuses.
 */
export function publishAll(packages, { env, registry, provenance, say }) {
  const where = registry === undefined ? [] : ["--registry", registry];
  for (const { name, version, tarball, integrity } of packages) {
    const there = published(name, version, { env, where });
    if (there !== undefined && there !== integrity)
      throw new Error(
        `${name}@${version} is on the registry with other contents (${there}). A version can't be replaced: raise it with npm run release -- --bump.`,
      );
    if (there !== undefined) {
      say(`${name}@${version} is there already`);
      continue;
    }
    const tag = version.includes("-") ? "next" : "latest"; // 1.0.0-rc.1 is not what npm install brings
    const args = [
      "publish",
      tarball,
      "--access",
      "public",
      "--tag",
      tag,
      ...(provenance ? ["--provenance"] : []),
      ...where,
    ];
    const { status, stdout, stderr } = spawnSync("npm", args, { env, encoding: "utf8" });
    if (status !== 0)
      throw new Error(`${name}@${version} was not published; the same command goes on here.\n${stderr}${stdout}`);
    say(`${name}@${version} published`);
  }
}

/** @returns the integrity that the registry has, undefined when there is no such version. */
function published(name, version, { env, where }) {
  const args = ["view", `${name}@${version}`, "dist.integrity", "--json", "--prefer-online", ...where];
  const { status, stdout, stderr } = spawnSync("npm", args, { env, encoding: "utf8" });
  if (status === 0) return stdout.trim() === "" ? undefined : JSON.parse(stdout);
  if (/E404/.test(stdout + stderr)) return undefined;
  throw new Error(`The registry could not be asked for ${name}@${version}.\n${stderr}${stdout}`);
}
