// What a package is on the registry: the files it lists and a manifest without what only the checkout needs.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

/** A field of its own for the repository: npm compares it with the one that builds, when it is asked for provenance. */
export function manifestOf({ manifest, folder }, repository) {
  const { devDependencies: _, exports, ...rest } = manifest;
  const entries = Object.entries(exports).flatMap(([name, target]) => {
    if (typeof target === "string") return [[name, target]];
    const { "margay-source": __, ...built } = target;
    return Object.keys(built).length === 0 ? [] : [[name, built]]; // what is internal to the workspace has no built file
  });
  return {
    ...rest,
    exports: Object.fromEntries(entries),
    ...(repository !== undefined && {
      repository: { type: "git", url: `git+${repository}.git`, directory: folder },
      homepage: `${repository}#readme`,
      bugs: `${repository}/issues`,
    }),
    publishConfig: { access: "public" },
  };
}

/**
 * Packs one package as it is published. The checkout stays as it is.
 * @param repository Address of its pages, as https://github.com/me/margay; undefined: not known, so links stay relative.
 * @returns `{ name, version, tarball, integrity, files, bytes, unpacked }`
 * @throws with what npm said.
 */
export function stage(one, { into, repository, version, npm }) {
  const place = join(into, "staged", one.folder);
  const [listed] = JSON.parse(npm(["pack", "--dry-run", "--json", "--ignore-scripts"], one.path));
  for (const { path } of listed.files) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    cpSync(join(one.path, path), join(place, path));
  }
  writeFileSync(join(place, "package.json"), `${JSON.stringify(manifestOf(one, repository), null, 2)}\n`);
  if (repository !== undefined)
    for (const { path } of listed.files.filter((file) => /^[^/]+\.md$/.test(file.path))) {
      const text = readFileSync(join(place, path), "utf8");
      writeFileSync(join(place, path), absoluteLinks(text, `${repository}/blob/v${version}`, one.folder));
    }
  const packed = join(into, "tarballs");
  mkdirSync(packed, { recursive: true });
  const [made] = JSON.parse(npm(["pack", "--json", "--ignore-scripts", "--pack-destination", packed], place));
  const tarball = join(packed, made.filename.replace(/^@/, "").replace("/", "-"));
  return {
    name: one.name,
    version: made.version,
    folder: one.folder,
    place,
    tarball,
    integrity: `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`,
    files: made.files.map(({ path }) => path),
    bytes: made.size,
    unpacked: made.unpackedSize,
  };
}

/** Links of a page that lead out of the package, as they are outside of a checkout. */
export function absoluteLinks(text, base, folder) {
  return text.replaceAll(/\]\((\.\.\/[^)#\s]+)/g, (_, path) => `](${base}/${posix.join(folder, path)}`);
}

/** @returns npm, run in a folder; stdout, or an error with stderr. */
export function npmOf(env) {
  return (args, cwd) => {
    const { status, stdout, stderr } = spawnSync("npm", args, { cwd, env, encoding: "utf8", maxBuffer: 64e6 });
    if (status !== 0) throw new Error(`npm ${args.join(" ")} failed in ${cwd}.\n${stderr}${stdout}`);
    return stdout;
  };
}
