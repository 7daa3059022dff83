/** What the documentation is made of, for whoever asks whether it is fresh. Read before an installation: it imports nothing. */
export const SITE_SOURCES = ["docs", "README.md", "README.zh-CN.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
