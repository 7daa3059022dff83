// npm run release: packs every package as it is published, looks at what is in it, installs it in empty directories as root and as a
// user, has it do the main job, and prints a table. --publish puts it on the registry; --bump VERSION writes a version everywhere.
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { contentFaults, megabytes, typeFaults } from "./lib/release/contents.mjs";
import { isInChangelog, publishedPackages, versionFaults, versionOf, writeVersion } from "./lib/release/packages.mjs";
import { publishAll } from "./lib/release/publish.mjs";
import { npmOf, stage } from "./lib/release/stage.mjs";
import { tryOut } from "./lib/release/try-out.mjs";
import { collect, inherit, node24, onNode24, root, say, toolEnvironment } from "./lib/toolchain.mjs";

const USAGE = `npm run release -- [--dry-run] [--offline] [--out FOLDER] [--publish [--registry URL] [--no-provenance]]
npm run release -- --bump VERSION`;

await onNode24(import.meta.url);
const { values } = parseArgs({
  options: {
    "dry-run": { type: "boolean" }, // what happens without --publish anyway
    offline: { type: "boolean" },
    out: { type: "string" },
    publish: { type: "boolean" },
    registry: { type: "string" },
    "no-provenance": { type: "boolean" },
    bump: { type: "string" },
    help: { type: "boolean" },
  },
});
if (values.help) say(USAGE);
else process.exitCode = values.bump === undefined ? await release() : bump(values.bump);

function bump(version) {
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) {
    say(`${version} is no version, as 1.2.3 or 1.2.3-rc.1.`);
    return 1;
  }
  writeVersion(root, publishedPackages(root), version, new Date().toISOString().slice(0, 10));
  say(`All packages, the lock file and the changelog say ${version}. Next: look at git diff, commit, tag v${version}.`);
  return 0;
}

async function release() {
  const packages = publishedPackages(root);
  const version = versionOf(packages);
  const repository = repositoryOf(process.env);
  const blockers = await inTheWay(packages, version, repository);
  if (values.publish && !values["dry-run"] && blockers.length > 0) {
    for (const one of blockers) say(`Not published: ${one}`);
    return 1;
  }
  if ((await inherit(node24(), [join(root, "scripts/build.mjs")])) !== 0) return 1;
  const place = realpathSync(mkdtempSync(join(tmpdir(), "margay-release-")));
  try {
    return await prove({ packages, version, repository, place, blockers });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function prove({ packages, version, repository, place, blockers }) {
  const rows = [];
  const report = (what, isWell, detail = "") => {
    rows.push(isWell);
    const word = isWell === undefined ? "–" : isWell ? "ok" : "FAILED";
    process.stdout.write(
      `${word.padEnd(7)} ${what}${detail === "" ? "" : `  ${detail.replaceAll("\n", "\n        ")}`}\n`,
    );
  };
  chmodSync(place, 0o755); // an ordinary user installs from here
  const npm = npmOf(toolEnvironment());
  const packed = packages.map((one) => stage(one, { into: values.out ?? place, repository, version, npm }));
  for (const one of packed) {
    const faults = [...(await contentFaults(one)), ...(values.offline ? [] : await typeFaults(one))];
    const detail = faults.length > 0 ? faults.join("\n") : sizes(one);
    report(`${one.name}@${one.version}`, faults.length === 0, detail);
  }
  if (values.offline) report("types", undefined, "left out: what looks at them comes from the registry");
  await tryOut(packed, { place, isOffline: values.offline, report });
  if (values.out !== undefined) writeFileSync(join(values.out, "SHA512"), packed.map(sum).join(""));
  const failed = rows.filter((row) => row === false).length;
  if (failed === 0 && values.publish && !values["dry-run"])
    publishAll(packed, {
      env: toolEnvironment(),
      registry: values.registry,
      provenance: !values["no-provenance"],
      say,
    });
  else for (const one of blockers) say(`In the way of publishing: ${one}`);
  process.stdout.write(`release: ${rows.filter((row) => row === true).length} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

function sizes({ files, bytes, unpacked }) {
  return `${files.length} files, ${megabytes(bytes)} packed, ${megabytes(unpacked)} unpacked`;
}

function sum({ tarball, integrity }) {
  return `${integrity}  ${tarball.slice(tarball.lastIndexOf("/") + 1)}\n`;
}

/** The forge says where it builds: one place, so that a fork publishes its own address. */
function repositoryOf({ GITHUB_REPOSITORY, GITHUB_SERVER_URL = "https://github.com" }) {
  return GITHUB_REPOSITORY === undefined ? undefined : `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
}

/** What only matters when it is published, so that a change can be tried out before the day of its release. */
async function inTheWay(packages, version, repository) {
  const { output } = await collect("git", ["status", "--porcelain"]);
  const canVouch = process.env.ACTIONS_ID_TOKEN_REQUEST_URL !== undefined;
  return [
    ...(output.trim() === "" ? [] : ["the checkout has changes that are not committed"]),
    ...versionFaults(root, packages).map((fault) => `the version is ${version}, and ${fault}`),
    ...(isInChangelog(root, version)
      ? []
      : [`CHANGELOG.md has no section ${version}: npm run release -- --bump ${version}`]),
    ...(repository === undefined
      ? ["GITHUB_REPOSITORY is not set (OWNER/NAME), so packages can't name their source"]
      : []),
    ...(canVouch || values["no-provenance"]
      ? []
      : ["only a workflow with `id-token: write` can vouch for who built it; elsewhere say --no-provenance"]),
  ];
}
