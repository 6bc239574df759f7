/**
 * Measures the shape of the code: sizes of files and functions, who imports what, loose files, names with two meanings. Nothing
 * is judged here; `npm run check` does that. `--json` prints data, `--root DIR` measures another tree.
 */
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import ts from "typescript";

type Name = { name: string; kind: "type" | "value" };
type Import = { from: string; names: string[] };
type Measured = { path: string; lines: number; exported: Name[]; imports: Import[]; functions: Sized[] };
type Sized = { name: string; path: string; lines: number };

const LONG_FUNCTION = 60;
const SMALL_FILE = 25;
const LOOSE_FILES = 20;
const SHOWN = 10;

function figuresOf(root: string) {
  const all = globSync(["{src,build,demo}/**/*.ts", "tests/**/*.ts"], { cwd: root }).toSorted();
  const isTest = (path: string): boolean => path.startsWith("tests/") || path.endsWith(".test.ts");
  const files = all.filter((path) => !isTest(path)).map((path) => measure(root, path));
  const lines = files.map((file) => file.lines).toSorted((one, other) => one - other);
  const sourceLines = sum(lines);
  const testLines = sum(all.filter(isTest).map((path) => linesOf(readFileSync(join(root, path), "utf8"))));
  const functions = files.flatMap((file) => file.functions).toSorted((one, other) => other.lines - one.lines);
  const names = importersOfNames(files);
  const single = files.filter(({ path }) => importersOf(files, path).length === 1);
  return {
    files: files.length,
    lines: sourceLines,
    medianLines: at(lines, 0.5),
    p90Lines: at(lines, 0.9),
    longestLines: at(lines, 1),
    testLines,
    testsPerLine: Number((testLines / sourceLines).toFixed(2)),
    cycles: cyclesIn(files),
    functionsOver60: functions.filter((one) => one.lines > LONG_FUNCTION).length,
    longestFunctions: functions.slice(0, SHOWN),
    exportedNames: names.length,
    exportedNamesWithOneImporter: names.filter(({ importers }) => importers === 1).length,
    filesWithOneImporter: single.length,
    smallFilesWithOneImporter: single.filter((file) => file.lines <= SMALL_FILE).map(({ path }) => path),
    looseFolders: looseFolders(files),
    typesWithTwoMeanings: twiceDeclared(files),
  };
}

function wordsOf(shape: ReturnType<typeof figuresOf>): Record<string, string> {
  const { files, lines, medianLines, p90Lines, longestLines, testLines, testsPerLine } = shape;
  const listed = (items: readonly string[]): string =>
    `${items.length}${items.length === 0 ? "" : `: ${items.join(", ")}`}`;
  return {
    "src, build, demo": `${files} files, ${lines} lines, median ${medianLines}, p90 ${p90Lines}, longest ${longestLines}`,
    tests: `${testLines} lines, ${testsPerLine} × source`,
    "cycles, types included": listed(shape.cycles.map((cycle) => cycle.join(" → "))),
    "longest functions": shape.longestFunctions.map((one) => `${one.name} ${one.lines}`).join(", "),
    [`functions over ${LONG_FUNCTION} lines`]: String(shape.functionsOver60),
    "exported names with one importer": `${shape.exportedNamesWithOneImporter} of ${shape.exportedNames}`,
    "files with one importer": `${shape.filesWithOneImporter}, ${shape.smallFilesWithOneImporter.length} of these ≤ ${SMALL_FILE} lines`,
    [`more than ${LOOSE_FILES} loose files`]: listed(
      shape.looseFolders.map(({ folder, files: loose }) => `${folder} ${loose}`),
    ),
    "exported types with two meanings": listed(
      shape.typesWithTwoMeanings.map(({ name, paths }) => `${name} ×${paths.length}`),
    ),
  };
}

function measure(root: string, path: string): Measured {
  const text = readFileSync(join(root, path), "utf8");
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const functions: Sized[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined) {
      functions.push({ name: nameOf(node), path, lines: heightOf(source, node) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  const statements = source.statements;
  return {
    path,
    lines: linesOf(text),
    exported: statements.flatMap(exportedIn),
    imports: statements.flatMap((statement) => importIn(statement, path)),
    functions,
  };
}

function exportedIn(statement: ts.Statement): Name[] {
  const isExported =
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (!isExported) return [];
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => ({ name: name.getText(), kind: "value" }));
  }
  if (ts.isTypeAliasDeclaration(statement) || ts.isInterfaceDeclaration(statement)) {
    return [{ name: statement.name.text, kind: "type" }];
  }
  const isNamed = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
  return isNamed && statement.name ? [{ name: statement.name.text, kind: "value" }] : [];
}

/** What a file takes from another of the tree, by an import or by handing it on. */
function importIn(statement: ts.Statement, path: string): Import[] {
  if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
  const { moduleSpecifier } = statement;
  if (!moduleSpecifier || !ts.isStringLiteral(moduleSpecifier) || !moduleSpecifier.text.startsWith(".")) return [];
  const from = join(dirname(path), moduleSpecifier.text);
  const elements = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : statement.exportClause;
  const named = elements && (ts.isNamedImports(elements) || ts.isNamedExports(elements)) ? [...elements.elements] : [];
  return [{ from, names: named.map(({ propertyName, name }) => (propertyName ?? name).text) }];
}

/** A function is called as what it is given to. */
function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name) return node.name.getText();
  let holder: ts.Node = node.parent;
  while (ts.isArrowFunction(holder) || ts.isParenthesizedExpression(holder)) holder = holder.parent;
  if (ts.isVariableDeclaration(holder) || ts.isPropertyAssignment(holder)) return holder.name.getText();
  return "(without a name)";
}

function heightOf(source: ts.SourceFile, node: ts.Node): number {
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line;
  return lineOf(node.end) - lineOf(node.getStart()) + 1;
}

const importersOf = (files: readonly Measured[], path: string): Measured[] =>
  files.filter(({ imports }) => imports.some(({ from }) => from === path));

const importersOfNames = (files: readonly Measured[]): { importers: number }[] =>
  files.flatMap(({ path, exported }) =>
    exported.map(({ name }) => ({
      importers: files.filter(({ imports }) => imports.some(({ from, names }) => from === path && names.includes(name)))
        .length,
    })),
  );

/** Files that can be reached from themselves: each cycle once, by a walk in the order of the imports. */
function cyclesIn(files: readonly Measured[]): string[][] {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports.map(({ from }) => from)]));
  const done = new Set<string>();
  const cycles: string[][] = [];
  const follow = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path]);
    if (trail.includes(path) || done.has(path)) return;
    for (const next of importsOf.get(path) ?? []) follow(next, [...trail, path]);
    done.add(path);
  };
  for (const { path } of files) follow(path, []);
  return cycles;
}

const looseFolders = (files: readonly Measured[]): { folder: string; files: number }[] =>
  [...Map.groupBy(files, ({ path }) => dirname(path))]
    .map(([folder, loose]) => ({ folder, files: loose.length }))
    .filter((one) => one.files > LOOSE_FILES)
    .toSorted((one, other) => other.files - one.files);

/** The simulator stands for somebody else's program and has names of its own. */
function twiceDeclared(files: readonly Measured[]): { name: string; paths: string[] }[] {
  const types = files
    .filter(({ path }) => !path.startsWith("src/simulator/"))
    .flatMap(({ path, exported }) =>
      exported.filter(({ kind }) => kind === "type").map(({ name }) => ({ name, path })),
    );
  return [...Map.groupBy(types, ({ name }) => name)]
    .map(([name, places]) => ({ name, paths: places.map(({ path }) => path) }))
    .filter(({ paths }) => paths.length > 1);
}

function linesOf(text: string): number {
  return text.split("\n").length - 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}

const { values } = parseArgs({ options: { json: { type: "boolean" }, root: { type: "string", default: "." } } });
const figures = figuresOf(values.root);
if (values.json) console.log(JSON.stringify(figures, null, 2));
else for (const [what, figure] of Object.entries(wordsOf(figures))) console.log(`${what.padEnd(34)} ${figure}`);
