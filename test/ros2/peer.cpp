// peer.cpp - a participant of another vendor's DDS (eProsima Fast DDS), as nodes of ROS 2 use it: reads and writes topics by name, with the
// payload as bytes, which others decode.
//
//   ros2_peer DOMAIN, then lines on standard input:
//     read TOPIC TYPE reliable|best_effort latched|volatile COUNT   prints the first COUNT samples (0: all, without their bytes)
//     write TOPIC TYPE HEX                                            one sample, once somebody reads the topic
//     quit
//
// On standard output, one JSON object a line: {"writer"|"reader": TOPIC, "type", "reliable", "latched", "user_data"} of each endpoint found, {"sample":
// TOPIC, "unix_ns", "hex"}, {"written": TOPIC}, {"participant": USER DATA}.
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/domain/DomainParticipantListener.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/DataWriterListener.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/rtps/participant/ParticipantDiscoveryInfo.h>
#include <fastdds/rtps/reader/ReaderDiscoveryInfo.h>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastdds/rtps/writer/WriterDiscoveryInfo.h>

using namespace eprosima::fastdds::dds;
namespace rtps = eprosima::fastrtps::rtps;

using Bytes = std::vector<unsigned char>;

static std::mutex output;

static void print(const std::string &line)
{
	std::lock_guard<std::mutex> lock(output);
	std::cout << line << std::endl;
}

// Samples are their bytes, the header of CDR among them.
class RawType : public TopicDataType {
public:
	explicit RawType(const std::string &name)
	{
		setName(name.c_str());
		m_typeSize = 4u << 20;
		m_isGetKeyDefined = false;
		auto_fill_type_information(false);
		auto_fill_type_object(false);
	}
	bool serialize(void *data, rtps::SerializedPayload_t *payload) override
	{
		const Bytes &bytes = *static_cast<Bytes *>(data);
		if (bytes.size() > payload->max_size)
			return false;
		std::copy(bytes.begin(), bytes.end(), payload->data);
		payload->length = static_cast<uint32_t>(bytes.size());
		payload->encapsulation = CDR_LE;
		return true;
	}
	bool deserialize(rtps::SerializedPayload_t *payload, void *data) override
	{
		static_cast<Bytes *>(data)->assign(payload->data, payload->data + payload->length);
		return true;
	}
	std::function<uint32_t()> getSerializedSizeProvider(void *data) override
	{
		return [data]() { return static_cast<uint32_t>(static_cast<Bytes *>(data)->size()); };
	}
	void *createData() override { return new Bytes; }
	void deleteData(void *data) override { delete static_cast<Bytes *>(data); }
	bool getKey(void *, rtps::InstanceHandle_t *, bool) override { return false; }
};

static std::string text(const std::vector<rtps::octet> &bytes)
{
	return std::string(bytes.begin(), bytes.end());
}

template <class Info> static void tell_endpoint(const char *kind, const Info &info)
{
	std::ostringstream s;
	s << "{\"" << kind << "\":\"" << info.topicName().to_string() << "\",\"type\":\"" << info.typeName().to_string()
	  << "\",\"reliable\":" << (info.m_qos.m_reliability.kind == RELIABLE_RELIABILITY_QOS)
	  << ",\"latched\":" << (info.m_qos.m_durability.kind == TRANSIENT_LOCAL_DURABILITY_QOS) << ",\"user_data\":\""
	  << text(info.m_qos.m_userData.data_vec()) << "\",\"gid\":\"";
	static const char digits[] = "0123456789abcdef";
	for (int i = 0; i < 16; i++) {
		unsigned char b = i < 12 ? info.guid().guidPrefix.value[i] : info.guid().entityId.value[i - 12];
		s << digits[b >> 4] << digits[b & 15];
	}
	s << "\"}";
	print(s.str());
}

class Finder : public DomainParticipantListener {
	void on_participant_discovery(DomainParticipant *, rtps::ParticipantDiscoveryInfo &&info) override
	{
		if (info.status == rtps::ParticipantDiscoveryInfo::DISCOVERED_PARTICIPANT)
			print("{\"participant\":\"" + text(info.info.m_userData.data_vec()) + "\"}");
	}
	void on_publisher_discovery(DomainParticipant *, rtps::WriterDiscoveryInfo &&info) override
	{
		if (info.status == rtps::WriterDiscoveryInfo::DISCOVERED_WRITER)
			tell_endpoint("writer", info.info);
	}
	void on_subscriber_discovery(DomainParticipant *, rtps::ReaderDiscoveryInfo &&info) override
	{
		if (info.status == rtps::ReaderDiscoveryInfo::DISCOVERED_READER)
			tell_endpoint("reader", info.info);
	}
};

class Taker : public DataReaderListener {
public:
	Taker(std::string topic, int count) : topic_(std::move(topic)), left_(count), all_(count == 0) {}
	void on_data_available(DataReader *reader) override
	{
		Bytes bytes;
		SampleInfo info;
		while (reader->take_next_sample(&bytes, &info) == ReturnCode_t::RETCODE_OK) {
			if (!info.valid_data || (!all_ && left_-- <= 0))
				continue;
			std::ostringstream s;
			s << "{\"sample\":\"" << topic_ << "\",\"unix_ns\":\""
			  << std::chrono::duration_cast<std::chrono::nanoseconds>(
				 std::chrono::system_clock::now().time_since_epoch())
				 .count()
			  << "\",\"hex\":\"";
			static const char digits[] = "0123456789abcdef";
			std::string hex;
			size_t shown = all_ ? std::min<size_t>(bytes.size(), 12) : bytes.size();
			for (size_t i = 0; i < shown; i++) {
				hex += digits[bytes[i] >> 4];
				hex += digits[bytes[i] & 15];
			}
			s << hex << "\"}";
			print(s.str());
		}
	}

private:
	std::string topic_;
	int left_;
	bool all_;
};

class Waiter : public DataWriterListener {
public:
	void on_publication_matched(DataWriter *, const PublicationMatchedStatus &status) override
	{
		std::lock_guard<std::mutex> lock(mutex_);
		matched_ = status.current_count;
		changed_.notify_all();
	}
	void wait()
	{
		std::unique_lock<std::mutex> lock(mutex_);
		changed_.wait(lock, [this]() { return matched_ > 0; });
	}

private:
	std::mutex mutex_;
	std::condition_variable changed_;
	int matched_ = 0;
};

class Peer {
public:
	explicit Peer(uint32_t domain)
	{
		DomainParticipantQos qos;
		auto udp = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>();
		udp->receiveBufferSize = 4u << 20; // as far as the kernel lets it
		qos.transport().use_builtin_transports = false;
		qos.transport().user_transports.push_back(udp);
		participant_ = DomainParticipantFactory::get_instance()->create_participant(
		    domain, qos, &finder_, StatusMask::none());
		publisher_ = participant_->create_publisher(PUBLISHER_QOS_DEFAULT);
		subscriber_ = participant_->create_subscriber(SUBSCRIBER_QOS_DEFAULT);
	}
	void read(const std::string &name, const std::string &type, bool reliable, bool latched, int count)
	{
		DataReaderQos qos = DATAREADER_QOS_DEFAULT;
		qos.reliability().kind = reliable ? RELIABLE_RELIABILITY_QOS : BEST_EFFORT_RELIABILITY_QOS;
		qos.durability().kind = latched ? TRANSIENT_LOCAL_DURABILITY_QOS : VOLATILE_DURABILITY_QOS;
		qos.history().depth = 10;
		qos.endpoint().history_memory_policy = rtps::DYNAMIC_RESERVE_MEMORY_MODE;
		takers_.push_back(std::make_unique<Taker>(name, count));
		subscriber_->create_datareader(topic(name, type), qos, takers_.back().get());
	}
	void write(const std::string &name, const std::string &type, Bytes bytes)
	{
		auto &slot = writers_[name];
		if (slot.first == nullptr) {
			DataWriterQos qos = DATAWRITER_QOS_DEFAULT;
			qos.reliability().kind = RELIABLE_RELIABILITY_QOS;
			qos.endpoint().history_memory_policy = rtps::DYNAMIC_RESERVE_MEMORY_MODE;
			slot.second = std::make_unique<Waiter>();
			slot.first = publisher_->create_datawriter(topic(name, type), qos, slot.second.get());
		}
		slot.second->wait();
		if (slot.first->write(&bytes))
			print("{\"written\":\"" + name + "\"}");
	}

private:
	Topic *topic(const std::string &name, const std::string &type)
	{
		auto &t = topics_[name];
		if (t == nullptr) {
			TypeSupport(new RawType(type)).register_type(participant_);
			t = participant_->create_topic(name, type, TOPIC_QOS_DEFAULT);
		}
		return t;
	}
	Finder finder_;
	DomainParticipant *participant_;
	Publisher *publisher_;
	Subscriber *subscriber_;
	std::map<std::string, Topic *> topics_;
	std::map<std::string, std::pair<DataWriter *, std::unique_ptr<Waiter>>> writers_;
	std::vector<std::unique_ptr<Taker>> takers_;
};

static Bytes from_hex(const std::string &hex)
{
	Bytes bytes;
	for (size_t i = 0; i + 1 < hex.size(); i += 2)
		bytes.push_back(static_cast<unsigned char>(std::stoul(hex.substr(i, 2), nullptr, 16)));
	return bytes;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	static Peer peer(static_cast<uint32_t>(std::stoul(argv[1])));
	for (std::string line; std::getline(std::cin, line);) {
		std::istringstream words(line);
		std::string verb, topic, type, a, b;
		int count = 0;
		words >> verb >> topic >> type >> a >> b >> count;
		if (verb == "read")
			peer.read(topic, type, a == "reliable", b == "latched", count);
		else if (verb == "write")
			peer.write(topic, type, from_hex(a));
		else if (verb == "quit")
			break;
	}
	std::cout.flush();
	std::_Exit(0); // its threads need not be taken apart
}
