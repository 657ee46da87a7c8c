/* Chang-Roberts without the announcement on links that overtake, for SPIN: one atomic step a clause, as in quiet_ring.py.

   Each process starts by a step of its own, and receives nothing before it. Whoever wins is the only one, and all others
   know that they have lost; no run ends before everybody has lost or won. A link is a set of ids, one bit each. */

#ifndef N
#define N 3
#define RING seat(0, 2) seat(1, 1) seat(2, 3)
#define EACH(step) step(1) step(2) step(3)
#endif

int inbox[N];	/* the ids under way to each place */
byte losers;

#define BIT(id) (1 << (id))
#define TAKE(id) inbox[place] = inbox[place] & ~BIT(id)
#define SEND(id) inbox[next] = inbox[next] | BIT(id)

#define WEIGH(id) \
	:: atomic { (inbox[place] & BIT(id)) -> \
		TAKE(id); \
		if \
		:: id > me -> SEND(id); losers++; goto end_lost \
		:: id < me \
		:: id == me -> assert(losers == N - 1); goto end_won \
		fi }
#define PASS_ON(id) \
	:: d_step { (inbox[place] & BIT(id)) -> TAKE(id); SEND(id) }
#define SWALLOW(id) \
	:: d_step { (inbox[place] & BIT(id)) -> TAKE(id) }

proctype node(byte place, next, me) {
	d_step { SEND(me) };
	do
	EACH(WEIGH)
	od;
end_lost:
	do
	EACH(PASS_ON)
	od;
end_won:
	do
	EACH(SWALLOW)
	od
}

#define seat(place, id) run node(place, (place + 1) % N, id);

init { atomic { RING } }
