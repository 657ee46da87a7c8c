/* Chang-Roberts on FIFO links, for SPIN, written for its partial-order reduction.

   The reduction works on single statements: receiving from a channel that nobody else reads and sending to one that
   nobody else writes (xr, xs) commute with what others do. Within an atomic step it sees none of this; so here a clause is
   several steps, and there are more states in full. Otherwise as in chang_roberts.pml. */

#ifndef N
#define N 3
#define RING seat(0, 2) seat(1, 1) seat(2, 3)
#endif

mtype = { candidate, elected };
chan link[N] = [N + 1] of { mtype, byte };
byte leaders;

proctype node(chan from, to; byte me) {
	mtype kind;
	byte id, leader;
	bool participant = true;
	xr from;
	xs to;

	to ! candidate, me;
asking:	from ? kind, id;
heard:	if
	:: kind == candidate && id > me ->
		if
		:: !participant -> goto take_part
		:: else
		fi;
pass:		to ! candidate, id
	:: kind == candidate && id < me ->
		if
		:: !participant -> goto take_part
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
	:: kind == elected && id == me
	fi;
next:	kind = 0;
	id = 0;
	if
	:: leader
	:: else -> goto asking
	fi;
end:	from ? kind, id;
	goto heard;

take_part:
	if
	:: leader == me -> leaders--
	:: else
	fi;
	participant = true;
	leader = 0;
	if
	:: id > me -> goto pass
	:: else -> to ! candidate, me; goto next
	fi
}

#define seat(place, id) run node(link[place], link[(place + 1) % N], id);

init { atomic { RING } }
