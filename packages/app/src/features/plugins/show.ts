/** A plugin in words, for who is asked about it. */
import type { Cli } from "../../host/cli/command.ts";
import { safeText } from "../../host/cli/output.ts";
import type { InsideReview } from "./inside.ts";
import type { PluginReview } from "./review.ts";

const FILES = { none: "plugin.files.none", read: "plugin.files.read", write: "plugin.files.write" } as const;

export function reviewText(cli: Cli, review: PluginReview | InsideReview): string {
  return "manifest" in review ? fencedText(cli, review) : insideText(cli, review);
}

function insideText({ t }: Cli, review: InsideReview): string {
  const { contract, settings, secrets } = review;
  const nothing = t("plugin.nothing");
  const list = (names: readonly string[]): string => names.map(safeText).join(", ") || nothing;
  const lines = [
    `${safeText(review.package)} ${safeText(review.version)}`,
    t("plugin.reviewFacts", {
      contract,
      license: safeText(review.license) || nothing,
      files: review.files,
      kilobytes: Math.ceil(review.bytes / 1024),
    }),
    ...(contract === "channel/1"
      ? [t("plugin.reviewSettings", { settings: list(settings), secrets: list(secrets) })]
      : []),
    t("plugin.reviewTrusted"),
    t("plugin.reviewHash", { hash: review.hash.slice(0, 16) }),
  ];
  return `${lines.join("\n")}\n`;
}

function fencedText({ t }: Cli, review: PluginReview): string {
  const { manifest, tools, points, trusted } = review;
  const { contract, name, title, hosts, files, exec, pure, settings = [], secrets = [] } = manifest;
  const nothing = t("plugin.nothing");
  const list = (names: readonly string[]): string => names.map(safeText).join(", ") || nothing;
  const lines = [
    t("plugin.reviewTitle", {
      title: safeText(title),
      package: safeText(review.package),
      version: safeText(review.version),
    }),
    t("plugin.reviewFacts", {
      contract,
      license: safeText(review.license) || nothing,
      files: review.files,
      kilobytes: Math.ceil(review.bytes / 1024),
    }),
    ...(trusted ? [t("plugin.reviewTrusted")] : []),
    t("plugin.reviewHosts", { hosts: list(hosts) }),
    t("plugin.reviewFiles", { files: t(FILES[files]) }),
    t("plugin.reviewExec", { exec: t(exec ? "plugin.yes" : "plugin.no") }),
    ...(settings.length + secrets.length > 0
      ? [
          t("plugin.reviewSettings", { settings: list(settings), secrets: list(secrets) }),
          t("plugin.reviewSet", { name }),
        ]
      : []),
    ...(pure ? [t("plugin.reviewPure")] : []),
    ...(points.length > 0 ? [t("plugin.reviewPoints", { points: points.join(", ") })] : []),
    ...tools.map((tool) =>
      t("plugin.reviewTool", { name: tool.name, effect: tool.effect, description: safeText(tool.description) }),
    ),
    t("plugin.reviewHash", { hash: review.hash.slice(0, 16) }),
  ];
  return `${lines.join("\n")}\n`;
}
