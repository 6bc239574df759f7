import { createHash } from "node:crypto";

export type Subject = { name: string; sha256: string };

type Built = {
  version: string;
  commit: string;
  lockfileSha256: string;
  /** Who built it, as a URI. */
  builder: string;
  versions: Record<string, string>;
  finishedOn: string;
};

/** What was built from what, in the form of in-toto and SLSA 1.0. It is not signed here: the release workflow does that. */
export const provenanceOf = (subjects: readonly Subject[], built: Built): object => ({
  _type: "https://in-toto.io/Statement/v1",
  subject: subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
  predicateType: "https://slsa.dev/provenance/v1",
  predicate: {
    buildDefinition: {
      buildType: "urn:tollgate:scripts/release.ts",
      externalParameters: { version: built.version },
      resolvedDependencies: [
        { name: "source", digest: { gitCommit: built.commit } },
        { name: "package-lock.json", digest: { sha256: built.lockfileSha256 } },
      ],
    },
    runDetails: {
      builder: { id: built.builder, version: built.versions },
      metadata: { finishedOn: built.finishedOn },
    },
  },
});

type Component = { "bom-ref": string; name: string; version: string; hashes?: object[] };
type Bom = {
  serialNumber: string;
  metadata: { timestamp: string; component: { "bom-ref": string; name: string; version: string; type: string } };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
};
export type Lock = { packages: Record<string, { version?: string; dev?: true; link?: true }> };

/**
 * The list of what is installed in production, from npm's list of everything: its own `--omit dev` leaves out packages that
 * tests use too. npm also names the component after its folder, and gives each list a number and a time of its own.
 */
export function productionBom(text: string, lock: Lock, { name, date }: { name: string; date: string }) {
  const bom = JSON.parse(text) as Bom;
  const installed = installedBy(lock);
  Object.assign(bom.metadata.component, { name, type: "application" });
  bom.metadata.timestamp = date;
  bom.serialNumber = "";
  bom.components = bom.components.filter((one) => installed.has(nameOf(one)));
  const refs = new Set([bom.metadata.component["bom-ref"], ...bom.components.map((one) => one["bom-ref"])]);
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
  const hex = createHash("sha256").update(JSON.stringify(bom)).digest("hex");
  bom.serialNumber = `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  return { text: `${JSON.stringify(bom, null, 2)}\n`, bom };
}

const nameOf = ({ name, version }: Component): string => `${name}@${version}`;

/** Packages by name and version that a lockfile installs in production. */
const installedBy = (lock: Lock): Set<string> =>
  new Set(
    Object.entries(lock.packages).flatMap(([path, { version, dev, link }]) =>
      path === "" || dev || link ? [] : [`${path.split("node_modules/").at(-1)}@${version}`],
    ),
  );

/** What a lockfile installs in production and a list does not name. */
export function missingInBom(bom: Bom, lock: Lock): string[] {
  const named = new Set(bom.components.map(nameOf));
  return [...installedBy(lock)].filter((one) => !named.has(one));
}
