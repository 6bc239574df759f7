import { invariant } from "../../core/invariant.ts";
import type { Database, Queryable } from "../../db/database.ts";
import type { DeviceGrant, DeviceGrantOrder, DeviceGrantStore, DevicePoll } from "./device-grant.ts";

type Row = Omit<DeviceGrant, "createdAtMs" | "expiresAtMs"> & { createdAt: Date; expiresAt: Date };
type State = "pending" | "approved" | "denied" | "used";

const GRANT = `id, user_code as "userCode", created_at as "createdAt", expires_at as "expiresAt", address, agent`;

const grantOf = ({ id, userCode, createdAt, expiresAt, address, agent }: Row): DeviceGrant => ({
  id,
  userCode,
  createdAtMs: createdAt.getTime(),
  expiresAtMs: expiresAt.getTime(),
  address,
  agent,
});

type Connection = Pick<Database, "query" | "transaction">;

export const createDeviceGrantStore = (database: Connection): DeviceGrantStore => ({
  nowMs: async () => {
    const [row] = await database.query<{ now: Date }>("select clock_timestamp() as now");
    invariant(row, "a database knows the time");
    return row.now.getTime();
  },

  add: (order, most) => add(database, order, most),

  enter: async (userCode, { atMs, most }) => {
    const [row] = await database.query<Row & { state: State }>(
      `update device_grant set tries = tries + 1, state = case when tries >= $3 then 'denied' else state end
        where user_code = $1 and expires_at > $2 and state = 'pending' returning ${GRANT}, state`,
      [userCode, new Date(atMs), most],
    );
    return row === undefined || row.state === "denied" ? null : grantOf(row);
  },

  identify: async (id, { personId, answerDigest, atMs }) => {
    const [row] = await database.query<Row>(
      `update device_grant set person_id = $2, answer_digest = $3
        where id = $1 and state = 'pending' and expires_at > $4 returning ${GRANT}`,
      [id, personId, answerDigest, new Date(atMs)],
    );
    return row === undefined ? null : grantOf(row);
  },

  decide: async (answerDigest, { verdict, atMs }) => {
    const [row] = await database.query<Row & { personId: string }>(
      `update device_grant set state = $2, answer_digest = null
        where answer_digest = $1 and state = 'pending' and expires_at > $3 returning ${GRANT}, person_id as "personId"`,
      [answerDigest, verdict, new Date(atMs)],
    );
    return row === undefined ? null : { grant: grantOf(row), personId: row.personId };
  },

  poll: (deviceDigest, times) => database.transaction((tx) => poll(tx, deviceDigest, times)),

  giveBack: async (id) => {
    await database.query(
      "update device_grant set state = 'approved', polled_at = null where id = $1 and state = 'used'",
      [id],
    );
  },
});

async function add(
  database: Queryable,
  order: DeviceGrantOrder,
  most: { atPlace: number; overall: number },
): Promise<"added" | "code_taken" | "too_many"> {
  const { id, deviceDigest, userCode, createdAtMs, expiresAtMs, address, place, agent } = order;
  const at = new Date(createdAtMs);
  await database.query("delete from device_grant where expires_at <= $1", [at]);
  if (place !== null) {
    const sql = "select from device_grant where place = $1 limit $2";
    if ((await database.query(sql, [place, most.atPlace])).length >= most.atPlace) return "too_many";
  }
  const isFull = (await database.query("select from device_grant offset $1 limit 1", [most.overall - 1])).length > 0;
  if (isFull && !(await makeRoom(database, place))) return "too_many";
  const added = await database.query(
    `insert into device_grant (id, device_digest, user_code, created_at, expires_at, address, place, agent)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (user_code) do nothing returning id`,
    [id, deviceDigest, userCode, at, new Date(expiresAtMs), address, place, agent],
  );
  return added.length > 0 ? "added" : "code_taken";
}

/** Its row is held, so that an approval is read by one poll alone. */
async function poll(
  tx: Queryable,
  deviceDigest: Buffer,
  { atMs, leastMs }: { atMs: number; leastMs: number },
): Promise<DevicePoll> {
  type Polled = Row & { state: State; personId: string | null; polledAt: Date | null };
  const [row] = await tx.query<Polled>(
    `select ${GRANT}, state, person_id as "personId", polled_at as "polledAt" from device_grant where device_digest = $1 for update`,
    [deviceDigest],
  );
  if (row === undefined || row.expiresAt.getTime() <= atMs || row.state === "used") return { kind: "expired" };
  const isFast = row.polledAt !== null && atMs - row.polledAt.getTime() < leastMs;
  const state = row.state === "approved" && !isFast ? "used" : row.state;
  await tx.query("update device_grant set polled_at = $2, state = $3 where id = $1", [row.id, new Date(atMs), state]);
  if (isFast) return { kind: "too_fast" };
  if (row.state !== "approved") return { kind: row.state };
  if (row.personId === null) return { kind: "expired" };
  return { kind: "approved", grant: grantOf(row), personId: row.personId };
}

/**
 * The place with the most waiting clients is the crowd, and all whose address is not known are one place. Its newest makes room, if nobody
 * has signed in for it: those who came before a flood, and those elsewhere, go on. False: the one to be added is the newest of the crowd.
 */
async function makeRoom(database: Queryable, place: string | null): Promise<boolean> {
  const made = await database.query(
    `with crowd as (select place, count(*) as size from device_grant group by place order by size desc, place limit 1)
     delete from device_grant where id = (
       select d.id from device_grant d join crowd c on d.place is not distinct from c.place
        where d.state = 'pending' and d.person_id is null
          and (select count(*) from device_grant o where o.place is not distinct from $1::text) < c.size
        order by d.created_at desc, d.id desc limit 1
     ) returning id`,
    [place],
  );
  return made.length > 0;
}
