/* Chang-Roberts on FIFO links, for SPIN: one atomic step a clause, as in habemus.election.chang_roberts.

   All have started in the first state after init. Never two leaders; no run ends before everybody knows the strongest as
   the leader, nor with a message under way (pan -q). The instance is given as RING: seat(place, id) for each place,
   clockwise; the ids are 1 to N. */

#ifndef N
#define N 3
#define RING seat(0, 2) seat(1, 1) seat(2, 3)
#endif

mtype = { candidate, elected };
chan link[N] = [N + 1] of { mtype, byte };	/* to each place; no id is twice on a link, so none is ever full */
byte leaders;					/* who take themselves to be the leader */

inline take_part() {
	if
	:: leader == me -> leaders--
	:: else
	fi;
	participant = true;
	leader = 0
}

inline hear() {
	from ? kind, id;
	if
	:: kind == candidate && id > me ->
		if
		:: !participant -> take_part()
		:: else
		fi;
		to ! candidate, id
	:: kind == candidate && id < me ->
		if
		:: !participant -> take_part(); to ! candidate, me
		:: else
		fi
	:: kind == candidate && id == me ->
		participant = false;
		leader = me;
		leaders++;
		assert(leaders == 1);
		to ! elected, me
	:: kind == elected && id != me ->
		participant = false;
		leader = id;
		assert(id == N);
		to ! elected, id
	:: kind == elected && id == me		/* the news has reached everybody */
	fi;
	kind = 0;
	id = 0;
	if
	:: leader -> goto end
	:: else -> goto asking
	fi
}

proctype node(chan from, to; byte me) {
	mtype kind;
	byte id;
	bool participant = true;
	byte leader;
asking:	atomic { hear() };
end:	atomic { hear() }
}

#define seat(place, id) link[(place + 1) % N] ! candidate, id; run node(link[place], link[(place + 1) % N], id);

init { atomic { RING } }
